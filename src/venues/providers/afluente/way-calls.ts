import { type Address, concatHex, encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem';
import type { Step, Way } from './execution';

/** Of SwapRouter02: what swaps. @see https://docs.uniswap.org/contracts/v3/reference/deployments */
const swapRouter02 = parseAbi([
  'struct ExactInputParams { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }',
  'struct ExactOutputParams { bytes path; address recipient; uint256 amountOut; uint256 amountInMaximum; }',
  'function exactInput(ExactInputParams params) payable returns (uint256 amountOut)',
  'function exactOutput(ExactOutputParams params) payable returns (uint256 amountIn)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to) payable returns (uint256 amountOut)',
]);

const ROUTER_ITSELF: Address = '0x0000000000000000000000000000000000000002';
/** How the router writes "all that I hold of it" as an amount in. */
const ALL_OF_IT = 0n;

export interface WayTerms {
  readonly side: 'in' | 'out';
  readonly recipient: Address;
  /** The least that comes out of an exact amount in, the most that goes in for an exact amount out. */
  readonly limit: bigint;
}

/** The calls that send an amount along a way: one for each stretch of pools of the same kind. */
export function wayCalls(way: Way, { side, recipient, limit }: WayTerms): readonly Hex[] {
  if (side === 'out') return [exactOutput(way, { recipient, limit })];
  const stretches = stretchesOf(way.steps);
  return stretches.map((steps, index) => {
    const isLast = index === stretches.length - 1;
    return exactInput(steps, {
      amountIn: index === 0 ? way.amountIn : ALL_OF_IT,
      recipient: isLast ? recipient : ROUTER_ITSELF,
      limit: isLast ? limit : 0n,
    });
  });
}

function stretchesOf(steps: readonly Step[]): readonly (readonly Step[])[] {
  const stretches: Step[][] = [];
  for (const step of steps) {
    const current = stretches.at(-1);
    if (current === undefined || (current[0]?.fee === null) !== (step.fee === null)) stretches.push([step]);
    else current.push(step);
  }
  return stretches;
}

interface Bound {
  readonly recipient: Address;
  readonly limit: bigint;
}

function exactInput(
  steps: readonly Step[],
  { amountIn, recipient, limit }: Bound & { readonly amountIn: bigint },
): Hex {
  if (steps[0]?.fee === null) {
    const args = [amountIn, limit, tokensOf(steps), recipient] as const;
    return encodeFunctionData({ abi: swapRouter02, functionName: 'swapExactTokensForTokens', args });
  }
  const params = { path: packedPath(steps), recipient, amountIn, amountOutMinimum: limit };
  return encodeFunctionData({ abi: swapRouter02, functionName: 'exactInput', args: [params] });
}

function exactOutput({ steps, amountOut }: Way, { recipient, limit }: Bound): Hex {
  const backwards = steps
    .toReversed()
    .map(({ tokenIn, tokenOut, fee }) => ({ tokenIn: tokenOut, tokenOut: tokenIn, fee }));
  const params = { path: packedPath(backwards), recipient, amountOut, amountInMaximum: limit };
  return encodeFunctionData({ abi: swapRouter02, functionName: 'exactOutput', args: [params] });
}

const tokensOf = (steps: readonly Step[]): readonly Address[] => [
  ...steps.map(({ tokenIn }) => tokenIn),
  ...steps.slice(-1).map(({ tokenOut }) => tokenOut),
];

/** A path as V3 packs it: token, fee in three bytes, token… */
function packedPath(steps: readonly Step[]): Hex {
  const parts = steps.flatMap(({ tokenIn, fee }): Hex[] => [tokenIn, numberToHex(fee ?? 0, { size: 3 })]);
  return concatHex([...parts, ...steps.slice(-1).map((last): Hex => last.tokenOut)]);
}
