import { type Address, concatHex, encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem';
import type { RouteStep, StoredSplit } from './stored-splits';

/** Swap functions of SwapRouter02. @see https://docs.uniswap.org/contracts/v3/reference/deployments */
const swapRouter02 = parseAbi([
  'struct ExactInputParams { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }',
  'struct ExactOutputParams { bytes path; address recipient; uint256 amountOut; uint256 amountInMaximum; }',
  'function exactInput(ExactInputParams params) payable returns (uint256 amountOut)',
  'function exactOutput(ExactOutputParams params) payable returns (uint256 amountIn)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to) payable returns (uint256 amountOut)',
]);

const ROUTER_ITSELF: Address = '0x0000000000000000000000000000000000000002';
/** Input amount that makes the router swap its whole balance. */
const WHOLE_BALANCE = 0n;

export interface SplitCallParameters {
  readonly side: 'in' | 'out';
  readonly recipient: Address;
  /** Minimum output of an exact input, maximum input of an exact output. */
  readonly limit: bigint;
}

/** The calls that execute a split: one for each segment of pools of the same protocol version. */
export function splitCalls(split: StoredSplit, { side, recipient, limit }: SplitCallParameters): readonly Hex[] {
  if (side === 'out') return [exactOutput(split, { recipient, limit })];
  const segments = segmentsOf(split.steps);
  return segments.map((steps, index) => {
    const isLast = index === segments.length - 1;
    return exactInput(steps, {
      amountIn: index === 0 ? split.amountIn : WHOLE_BALANCE,
      recipient: isLast ? recipient : ROUTER_ITSELF,
      limit: isLast ? limit : 0n,
    });
  });
}

function segmentsOf(steps: readonly RouteStep[]): readonly (readonly RouteStep[])[] {
  const segments: RouteStep[][] = [];
  for (const step of steps) {
    const current = segments.at(-1);
    if (current === undefined || (current[0]?.fee === null) !== (step.fee === null)) segments.push([step]);
    else current.push(step);
  }
  return segments;
}

interface Bound {
  readonly recipient: Address;
  readonly limit: bigint;
}

function exactInput(
  steps: readonly RouteStep[],
  { amountIn, recipient, limit }: Bound & { readonly amountIn: bigint },
): Hex {
  if (steps[0]?.fee === null) {
    const args = [amountIn, limit, tokensOf(steps), recipient] as const;
    return encodeFunctionData({ abi: swapRouter02, functionName: 'swapExactTokensForTokens', args });
  }
  const params = { path: packedPath(steps), recipient, amountIn, amountOutMinimum: limit };
  return encodeFunctionData({ abi: swapRouter02, functionName: 'exactInput', args: [params] });
}

function exactOutput({ steps, amountOut }: StoredSplit, { recipient, limit }: Bound): Hex {
  const backwards = steps
    .toReversed()
    .map(({ tokenIn, tokenOut, fee }) => ({ tokenIn: tokenOut, tokenOut: tokenIn, fee }));
  const params = { path: packedPath(backwards), recipient, amountOut, amountInMaximum: limit };
  return encodeFunctionData({ abi: swapRouter02, functionName: 'exactOutput', args: [params] });
}

const tokensOf = (steps: readonly RouteStep[]): readonly Address[] => [
  ...steps.map(({ tokenIn }) => tokenIn),
  ...steps.slice(-1).map(({ tokenOut }) => tokenOut),
];

/** A path in the packing of V3: token, fee in three bytes, token… */
function packedPath(steps: readonly RouteStep[]): Hex {
  const parts = steps.flatMap(({ tokenIn, fee }): Hex[] => [tokenIn, numberToHex(fee ?? 0, { size: 3 })]);
  return concatHex([...parts, ...steps.slice(-1).map((last): Hex => last.tokenOut)]);
}
