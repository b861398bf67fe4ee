import { type Address, encodeFunctionData, getAddress, type Hex, parseAbi } from 'viem';
import { z } from 'zod';
import { isNativeToken, parseEvmAddress } from '../../../chains/addresses';
import { serviceError } from '../../../errors/service-error';
import type { BuildParameters, SwapCall } from '../../quote-provider';
import { sameChainTrade } from '../../same-chain-trade';

/** @see https://docs.uniswap.org/contracts/v2/reference/smart-contracts/router-02 */
const router02 = parseAbi([
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline)',
  'function swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable',
  'function swapTokensForExactETH(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline)',
  'function swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapETHForExactTokens(uint256 amountOut, address[] path, address to, uint256 deadline) payable',
]);

const address = z.string().refine((text) => parseEvmAddress(text) === text);

/** Stored with the quote and parsed again when the transaction is built. */
const v2Execution = z.object({
  path: z
    .array(address.transform((text) => getAddress(text)))
    .min(2)
    .max(3),
});

/** Builds the call of router02 that executes a quote. @throws BYTECODE_GENERATION_FAILED when the stored path is invalid. */
export function buildV2RouterCall(parameters: BuildParameters): SwapCall {
  const { request, quote, sender } = parameters;
  const trade = sameChainTrade(request);
  const execution = v2Execution.safeParse(quote.execution);
  const router = request.origin.uniswapV2?.router;
  if (trade === undefined || router === undefined || !execution.success) throw invalidQuoteError();
  const { path } = execution.data;
  if (path[0] !== trade.tokenIn || path.at(-1) !== trade.tokenOut) throw invalidQuoteError();
  const native = isNativeToken(request.tokenIn.address);
  return {
    kind: 'call',
    chainId: request.origin.chainId,
    from: sender,
    to: router,
    data: calldata(parameters, path),
    value: native ? quote.maxAmountIn : 0n,
    spender: native ? undefined : router,
  };
}

const invalidQuoteError = () =>
  serviceError('BYTECODE_GENERATION_FAILED', { reason: 'the stored route does not belong to the request' });

function calldata({ request, quote, ...parameters }: BuildParameters, path: readonly Address[]): Hex {
  const { amountIn, maxAmountIn, expectedAmountOut, minAmountOut } = quote;
  const common = [path, getAddress(parameters.recipient), BigInt(parameters.deadline)] as const;
  const encode = (functionName: RouterFunction, amounts: readonly bigint[]): Hex =>
    encodeFunctionData({ abi: router02, functionName, args: [...amounts, ...common] as never });
  const kind = `${unitOf(request.tokenIn.address)} to ${unitOf(request.tokenOut.address)}` as const;
  const names = FUNCTIONS[kind];
  if (request.side === 'in') {
    return encode(names.exactIn, kind === 'coin to token' ? [minAmountOut] : [amountIn, minAmountOut]);
  }
  return encode(names.exactOut, kind === 'coin to token' ? [expectedAmountOut] : [expectedAmountOut, maxAmountIn]);
}

const unitOf = (token: string): 'coin' | 'token' => (isNativeToken(token) ? 'coin' : 'token');

type RouterFunction = (typeof router02)[number]['name'];

const tokens = { exactIn: 'swapExactTokensForTokens', exactOut: 'swapTokensForExactTokens' } as const;
const FUNCTIONS = {
  'token to token': tokens,
  'token to coin': { exactIn: 'swapExactTokensForETH', exactOut: 'swapTokensForExactETH' },
  'coin to token': { exactIn: 'swapExactETHForTokens', exactOut: 'swapETHForExactTokens' },
  // Never quoted: the coin for itself.
  'coin to coin': tokens,
} as const satisfies Record<string, { exactIn: RouterFunction; exactOut: RouterFunction }>;
