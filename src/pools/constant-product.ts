/** Reserves of a pool, in base units, seen in the direction of a trade. */
export interface Reserves {
  readonly reserveIn: bigint;
  readonly reserveOut: bigint;
}

/** Pools keep their reserves in 112 bits. */
const MAX_RESERVE = 2n ** 112n - 1n;

/** What one pool pays for `amountIn`, as the pool computes it; `undefined` when it cannot take that much. */
function paidFor(amountIn: bigint, { reserveIn, reserveOut }: Reserves): bigint | undefined {
  if (reserveIn + amountIn > MAX_RESERVE) return undefined;
  const afterFee = amountIn * 997n;
  return (afterFee * reserveOut) / (reserveIn * 1000n + afterFee);
}

/** What one pool asks for `amountOut`, as the router computes it; `undefined` when it does not hold that much. */
function askedFor(amountOut: bigint, { reserveIn, reserveOut }: Reserves): bigint | undefined {
  if (amountOut >= reserveOut) return undefined;
  const amountIn = (reserveIn * amountOut * 1000n) / ((reserveOut - amountOut) * 997n) + 1n;
  return reserveIn + amountIn > MAX_RESERVE ? undefined : amountIn;
}

/**
 * What a path of pools pays for `amountIn`: `getAmountsOut` of the router, to the wei. 0 when a pool would pay less than
 * one base unit, for which the router reverts; `undefined` when the path cannot take that much.
 */
export function amountOutOf(amountIn: bigint, path: readonly Reserves[]): bigint | undefined {
  let amount: bigint | undefined = amountIn;
  for (const reserves of path) {
    if (amount === undefined || amount === 0n) return amount;
    amount = paidFor(amount, reserves);
  }
  return amount;
}

/** What a path of pools asks for `amountOut`: `getAmountsIn` of the router, to the wei. */
export function amountInOf(amountOut: bigint, path: readonly Reserves[]): bigint | undefined {
  let amount: bigint | undefined = amountOut;
  for (const reserves of path.toReversed()) {
    if (amount === undefined) return undefined;
    amount = askedFor(amount, reserves);
  }
  return amount;
}
