import { type Address, encodeFunctionData, getAddress, type Hex, parseAbi } from 'viem';
import { isNativeToken } from '../../../chains/addresses';
import type { BuildParameters, SwapCall } from '../../quote-provider';
import { unusable, type Way, waysOf } from './execution';
import { wayCalls } from './way-calls';

/** Of SwapRouter02: what collects, pays out and returns. @see https://docs.uniswap.org/contracts/v3/reference/deployments */
const swapRouter02 = parseAbi([
  'function sweepToken(address token, uint256 amountMinimum, address recipient) payable',
  'function unwrapWETH9(uint256 amountMinimum, address recipient) payable',
  'function refundETH() payable',
  'function multicall(uint256 deadline, bytes[] data) payable returns (bytes[] results)',
]);

/** How the router writes "the sender" and "this contract" as a recipient. */
const SENDER: Address = '0x0000000000000000000000000000000000000001';
const ROUTER_ITSELF: Address = '0x0000000000000000000000000000000000000002';

/** The call of SwapRouter02 that executes a quote, all ways in one transaction. @throws BYTECODE_GENERATION_FAILED */
export function routerCall(parameters: BuildParameters): SwapCall {
  const { request, quote, sender } = parameters;
  const router = request.origin.uniswapV3?.router;
  const recipient = getAddress(parameters.recipient);
  if (router === undefined || recipient === SENDER || recipient === ROUTER_ITSELF) throw unusable();
  const native = isNativeToken(request.tokenIn.address);
  const calls = [
    ...swaps(parameters, recipient),
    // The router keeps coin that the swap did not take, for anyone to collect.
    ...(native ? [encodeFunctionData({ abi: swapRouter02, functionName: 'refundETH' })] : []),
  ];
  return {
    kind: 'call',
    chainId: request.origin.chainId,
    from: sender,
    to: router,
    data: encodeFunctionData({
      abi: swapRouter02,
      functionName: 'multicall',
      args: [BigInt(parameters.deadline), calls],
    }),
    value: native ? quote.maxAmountIn : 0n,
    spender: native ? undefined : router,
  };
}

/** The ways, and what hands out what they bring together. */
function swaps(parameters: BuildParameters, recipient: Address): readonly Hex[] {
  const { request, quote } = parameters;
  const { side } = request;
  const ways = waysOf(parameters);
  const isCollected = isNativeToken(request.tokenOut.address) || (side === 'in' && ways.length > 1);
  // What is collected is checked as a whole.
  const least = isCollected ? 0n : quote.minAmountOut;
  const limits = side === 'in' ? ways.map(() => least) : mostPerWay(ways, parameters);
  const terms = { side, recipient: isCollected ? ROUTER_ITSELF : recipient };
  return [
    ...ways.flatMap((way, index) => wayCalls(way, { ...terms, limit: limits[index] ?? 0n })),
    ...(isCollected ? [payout(parameters, ways[0])] : []),
  ];
}

/** Of the most that the trade may take, each way has the share that it was expected to take: together they take no more. */
function mostPerWay(ways: readonly Way[], { quote }: BuildParameters): readonly bigint[] {
  const limits = ways.map(({ amountIn }) => (quote.maxAmountIn * amountIn) / quote.amountIn);
  const rest = limits.reduce<bigint>((left, limit) => left - limit, quote.maxAmountIn);
  return limits.map((limit, index) => (index === 0 ? limit + rest : limit));
}

function payout({ request, quote, ...parameters }: BuildParameters, { steps }: Way): Hex {
  const { minAmountOut } = quote;
  const recipient = getAddress(parameters.recipient);
  if (isNativeToken(request.tokenOut.address)) {
    return encodeFunctionData({ abi: swapRouter02, functionName: 'unwrapWETH9', args: [minAmountOut, recipient] });
  }
  const { tokenOut } = steps.at(-1) ?? steps[0];
  return encodeFunctionData({
    abi: swapRouter02,
    functionName: 'sweepToken',
    args: [tokenOut, minAmountOut, recipient],
  });
}
