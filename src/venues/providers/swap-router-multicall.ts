import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { isNativeToken } from '../../chains/addresses';
import type { BuildParameters, SwapCall } from '../quote-provider';

/** @see https://docs.uniswap.org/contracts/v3/reference/deployments (SwapRouter02) */
const swapRouter02 = parseAbi([
  'function refundETH() payable',
  'function multicall(uint256 deadline, bytes[] data) payable returns (bytes[] results)',
]);

/** Placeholder of SwapRouter02 for itself as the recipient, for outputs that it unwraps or collects. */
export const ROUTER_ITSELF: Address = '0x0000000000000000000000000000000000000002';

/** One transaction that executes all calls of a quote in their order, and returns native coin that they did not spend. */
export function swapRouterMulticall(
  { request, quote, sender, deadline }: BuildParameters,
  router: Address,
  calls: readonly Hex[],
): SwapCall {
  const native = isNativeToken(request.tokenIn.address);
  // Unspent coin stays in the router, where any caller could collect it.
  const refund = native ? [encodeFunctionData({ abi: swapRouter02, functionName: 'refundETH' })] : [];
  return {
    kind: 'call',
    chainId: request.origin.chainId,
    from: sender,
    to: router,
    data: encodeFunctionData({
      abi: swapRouter02,
      functionName: 'multicall',
      args: [BigInt(deadline), [...calls, ...refund]],
    }),
    value: native ? quote.maxAmountIn : 0n,
    spender: native ? undefined : router,
  };
}
