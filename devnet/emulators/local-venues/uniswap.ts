import { type Address, encodePacked, type Hex, parseAbi } from 'viem';

/** A way through pools of one venue. `fees` are those of V3's pools, one a hop. */
export interface SwapPath {
  readonly venue: 'v2' | 'v3';
  readonly tokens: readonly Address[];
  readonly fees: readonly number[];
}

export const factoryAbi = parseAbi(['function getPair(address, address) view returns (address)']);
export const v3FactoryAbi = parseAbi(['function getPool(address, address, uint24) view returns (address)']);
export const v2RouterAbi = parseAbi(['function getAmountsOut(uint256, address[]) view returns (uint256[])']);
/** Not really a view: it swaps and takes it back. */
export const quoterAbi = parseAbi([
  'function quoteExactInput(bytes path, uint256 amountIn) view returns (uint256 amountOut, uint160[] prices, uint32[] ticks, uint256 gas)',
]);
/** SwapRouter02. */
export const routerAbi = parseAbi([
  'struct ExactInput { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }',
  'function exactInput(ExactInput) payable returns (uint256)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to) payable returns (uint256)',
  'function unwrapWETH9(uint256 amountMinimum, address recipient) payable',
  'function sweepTokenWithFee(address token, uint256 amountMinimum, address recipient, uint256 feeBips, address feeRecipient) payable',
  'function unwrapWETH9WithFee(uint256 amountMinimum, address recipient, uint256 feeBips, address feeRecipient) payable',
  'function multicall(bytes[] data) payable returns (bytes[])',
]);

/** The path of a V3 route: token, fee, token, fee, token. */
export function pathOf({ tokens, fees }: SwapPath): Hex {
  const [first, ...rest] = tokens;
  const hops = rest.flatMap((token, hop) => [fees[hop] ?? 0, token]);
  const types = ['address', ...rest.flatMap(() => ['uint24', 'address'])];
  return encodePacked(types, [first, ...hops]);
}
