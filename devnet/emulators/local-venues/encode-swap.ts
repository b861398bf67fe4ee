import { type Address, encodeFunctionData, type Hex } from 'viem';
import type { PlannedSwap, SwapLeg } from './plan-swap';
import { pathOf, routerAbi } from './uniswap';

export interface SwapTerms {
  readonly recipient: Address;
  /** Minimum amount for the recipient, after the fee. */
  readonly minimum: bigint;
  /** True when the recipient gets the native coin instead of its wrapper. */
  readonly unwraps: boolean;
  readonly tokenOut: Address;
  /** Fee on the bought amount in basis points, at most 100. */
  readonly feeBps: bigint;
  readonly feeRecipient: Address;
}

/** Placeholder address that the router replaces with its own. */
const ROUTER_ITSELF: Address = '0x0000000000000000000000000000000000000002';
const BPS = 10_000n;

/** A call of SwapRouter02 that takes the tokens of its caller, or the coin sent along, and pays the recipient. */
export function encodeSwap({ legs }: PlannedSwap, terms: SwapTerms): Hex {
  const isDirect = !terms.unwraps && terms.feeBps === 0n;
  const recipient = isDirect ? terms.recipient : ROUTER_ITSELF;
  const minimums = isDirect ? shared(legs, terms.minimum) : legs.map(() => 0n);
  const swaps = legs.map((leg, index) => encodeLeg(leg, { recipient, minimum: minimums[index] ?? 0n }));
  const calls = isDirect ? swaps : [...swaps, payout(terms)];
  return encodeFunctionData({ abi: routerAbi, functionName: 'multicall', args: [calls] });
}

/** The minimum in parts, so that they add up to it. */
function shared(legs: readonly SwapLeg[], minimum: bigint): readonly bigint[] {
  const total = legs.reduce((sum, { amountOut }) => sum + amountOut, 0n);
  const parts = legs.slice(1).map(({ amountOut }) => (minimum * amountOut) / total);
  return [minimum - parts.reduce((sum, part) => sum + part, 0n), ...parts];
}

function encodeLeg(
  { path, amountIn }: SwapLeg,
  { recipient, minimum }: { readonly recipient: Address; readonly minimum: bigint },
): Hex {
  if (path.venue === 'v2') {
    const args = [amountIn, minimum, [...path.tokens], recipient] as const;
    return encodeFunctionData({ abi: routerAbi, functionName: 'swapExactTokensForTokens', args });
  }
  const input = { path: pathOf(path), recipient, amountIn, amountOutMinimum: minimum };
  return encodeFunctionData({ abi: routerAbi, functionName: 'exactInput', args: [input] });
}

function payout({ recipient, minimum, unwraps, tokenOut, feeBps, feeRecipient }: SwapTerms): Hex {
  // The router checks what there is before the fee.
  const gross = (minimum * BPS + (BPS - feeBps) - 1n) / (BPS - feeBps);
  if (feeBps === 0n) {
    return encodeFunctionData({ abi: routerAbi, functionName: 'unwrapWETH9', args: [gross, recipient] });
  }
  const fee = [feeBps, feeRecipient] as const;
  return unwraps
    ? encodeFunctionData({ abi: routerAbi, functionName: 'unwrapWETH9WithFee', args: [gross, recipient, ...fee] })
    : encodeFunctionData({
        abi: routerAbi,
        functionName: 'sweepTokenWithFee',
        args: [tokenOut, gross, recipient, ...fee],
      });
}
