import { type Address, encodeFunctionData, getAddress, type Hex, parseAbi } from 'viem';
import { isNativeToken } from '../../../chains/addresses';
import type { BuildParameters, SwapCall } from '../../quote-provider';
import { ROUTER_ITSELF, swapRouterMulticall } from '../swap-router-multicall';
import { invalidQuoteError, type StoredSplit, parseSplits } from './stored-splits';
import { splitCalls } from './split-calls';

/** Functions of SwapRouter02 for paying out collected outputs. @see https://docs.uniswap.org/contracts/v3/reference/deployments */
const swapRouter02 = parseAbi([
  'function sweepToken(address token, uint256 amountMinimum, address recipient) payable',
  'function unwrapWETH9(uint256 amountMinimum, address recipient) payable',
]);

/** Placeholder of the router for its caller as the recipient. */
const SENDER: Address = '0x0000000000000000000000000000000000000001';

/** Builds the call of SwapRouter02 that executes all splits of a quote in one transaction. @throws BYTECODE_GENERATION_FAILED */
export function buildSplitRouterCall(parameters: BuildParameters): SwapCall {
  const router = parameters.request.origin.uniswapV3?.router;
  const recipient = getAddress(parameters.recipient);
  if (router === undefined || recipient === SENDER || recipient === ROUTER_ITSELF) throw invalidQuoteError();
  return swapRouterMulticall(parameters, router, swaps(parameters, recipient));
}

/** The calls of the splits, and the call that pays out collected outputs. */
function swaps(parameters: BuildParameters, recipient: Address): readonly Hex[] {
  const { request, quote } = parameters;
  const { side } = request;
  const splits = parseSplits(parameters);
  const isCollected = isNativeToken(request.tokenOut.address) || (side === 'in' && splits.length > 1);
  // The minimum of collected outputs is checked by the payout.
  const minAmountOut = isCollected ? 0n : quote.minAmountOut;
  const limits = side === 'in' ? splits.map(() => minAmountOut) : maxAmountsIn(splits, parameters);
  const call = { side, recipient: isCollected ? ROUTER_ITSELF : recipient };
  return [
    ...splits.flatMap((split, index) => splitCalls(split, { ...call, limit: limits[index] ?? 0n })),
    ...(isCollected ? [payout(parameters, splits[0])] : []),
  ];
}

/** The maximum input of each split: the maximum of the quote in proportion to the expected inputs. */
function maxAmountsIn(splits: readonly StoredSplit[], { quote }: BuildParameters): readonly bigint[] {
  const limits = splits.map(({ amountIn }) => (quote.maxAmountIn * amountIn) / quote.amountIn);
  const remainder = limits.reduce<bigint>((left, limit) => left - limit, quote.maxAmountIn);
  return limits.map((limit, index) => (index === 0 ? limit + remainder : limit));
}

function payout({ request, quote, ...parameters }: BuildParameters, { steps }: StoredSplit): Hex {
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
