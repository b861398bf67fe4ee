import { encodeFunctionData, getAddress, type Hex, parseAbi } from 'viem';
import { z } from 'zod';
import { isNativeToken, parseEvmAddress } from '../../../chains/addresses';
import { serviceError } from '../../../errors/service-error';
import type { BuildParameters, SwapCall } from '../../quote-provider';
import { sameChainTrade } from '../../same-chain-trade';
import { ROUTER_ITSELF, swapRouterMulticall } from '../swap-router-multicall';
import { packedPath, type V3PathStep } from './route';

/** @see https://docs.uniswap.org/contracts/v3/reference/deployments (SwapRouter02) */
const swapRouter02 = parseAbi([
  'struct ExactInputSingleParams { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'struct ExactOutputSingleParams { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountOut; uint256 amountInMaximum; uint160 sqrtPriceLimitX96; }',
  'struct ExactInputParams { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }',
  'struct ExactOutputParams { bytes path; address recipient; uint256 amountOut; uint256 amountInMaximum; }',
  'function exactInputSingle(ExactInputSingleParams params) payable returns (uint256 amountOut)',
  'function exactOutputSingle(ExactOutputSingleParams params) payable returns (uint256 amountIn)',
  'function exactInput(ExactInputParams params) payable returns (uint256 amountOut)',
  'function exactOutput(ExactOutputParams params) payable returns (uint256 amountIn)',
  'function unwrapWETH9(uint256 amountMinimum, address recipient) payable',
]);

const token = z
  .string()
  .refine((text) => parseEvmAddress(text) === text)
  .transform((text) => getAddress(text));

/** Stored with the quote and parsed again when the transaction is built. */
const v3Execution = z.object({
  steps: z
    .array(z.object({ tokenIn: token, tokenOut: token, fee: z.int().min(1).max(999_999) }))
    .min(1)
    .max(2),
});

/** Builds the call of SwapRouter02 that executes a quote. @throws BYTECODE_GENERATION_FAILED when the stored steps are invalid. */
export function buildV3RouterCall(parameters: BuildParameters): SwapCall {
  const router = parameters.request.origin.uniswapV3?.router;
  if (router === undefined) throw invalidQuoteError();
  const steps = stepsOf(parameters);
  return swapRouterMulticall(parameters, router, [swap(parameters, steps), ...unwrapCalls(parameters)]);
}

const invalidQuoteError = () =>
  serviceError('BYTECODE_GENERATION_FAILED', { reason: 'the stored route does not belong to the request' });

function stepsOf({ request, quote }: BuildParameters): readonly V3PathStep[] {
  const trade = sameChainTrade(request);
  const execution = v3Execution.safeParse(quote.execution);
  if (trade === undefined || !execution.success) throw invalidQuoteError();
  const { steps } = execution.data;
  const connected = steps.every((step, index) => index === 0 || step.tokenIn === steps[index - 1]?.tokenOut);
  if (!connected || steps[0]?.tokenIn !== trade.tokenIn || steps.at(-1)?.tokenOut !== trade.tokenOut)
    throw invalidQuoteError();
  return steps;
}

function swap({ request, quote, ...parameters }: BuildParameters, steps: readonly V3PathStep[]): Hex {
  const { amountIn, maxAmountIn: amountInMaximum, expectedAmountOut: amountOut, minAmountOut } = quote;
  const unwraps = isNativeToken(request.tokenOut.address);
  const recipient = unwraps ? ROUTER_ITSELF : getAddress(parameters.recipient);
  const exactIn = { recipient, amountIn, amountOutMinimum: minAmountOut };
  const exactOut = { recipient, amountOut, amountInMaximum };
  const [only, more] = steps;
  if (only === undefined || more !== undefined) {
    const path = packedPath(steps, request.side);
    return request.side === 'in'
      ? encodeFunctionData({ abi: swapRouter02, functionName: 'exactInput', args: [{ path, ...exactIn }] })
      : encodeFunctionData({ abi: swapRouter02, functionName: 'exactOutput', args: [{ path, ...exactOut }] });
  }
  const single = { ...only, sqrtPriceLimitX96: 0n };
  return request.side === 'in'
    ? encodeFunctionData({ abi: swapRouter02, functionName: 'exactInputSingle', args: [{ ...single, ...exactIn }] })
    : encodeFunctionData({ abi: swapRouter02, functionName: 'exactOutputSingle', args: [{ ...single, ...exactOut }] });
}

function unwrapCalls({ request, quote, recipient }: BuildParameters): readonly Hex[] {
  if (!isNativeToken(request.tokenOut.address)) return [];
  const args = [quote.minAmountOut, getAddress(recipient)] as const;
  return [encodeFunctionData({ abi: swapRouter02, functionName: 'unwrapWETH9', args })];
}
