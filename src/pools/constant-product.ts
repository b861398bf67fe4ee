/** Reserves of a V2 pool in the direction of a trade, in base units. */
export interface Reserves {
  readonly reserveIn: bigint;
  readonly reserveOut: bigint;
}

/** V2 pools store reserves as uint112. */
const MAX_RESERVE = 2n ** 112n - 1n;

/** Output of one pool for `amountIn`; `undefined` when the reserve would overflow. */
function poolAmountOut(amountIn: bigint, { reserveIn, reserveOut }: Reserves): bigint | undefined {
  if (reserveIn + amountIn > MAX_RESERVE) return undefined;
  const afterFee = amountIn * 997n;
  return (afterFee * reserveOut) / (reserveIn * 1000n + afterFee);
}

/** Input that one pool requires for `amountOut`; `undefined` when it holds less. */
function poolAmountIn(amountOut: bigint, { reserveIn, reserveOut }: Reserves): bigint | undefined {
  if (amountOut >= reserveOut) return undefined;
  const amountIn = (reserveIn * amountOut * 1000n) / ((reserveOut - amountOut) * 997n) + 1n;
  return reserveIn + amountIn > MAX_RESERVE ? undefined : amountIn;
}

/**
 * Output of a path of pools for `amountIn`, equal to `getAmountsOut` of the router. 0 when a pool would pay less than one
 * base unit, where the router reverts; `undefined` when a reserve would overflow.
 */
export function amountOutFor(amountIn: bigint, path: readonly Reserves[]): bigint | undefined {
  let amount: bigint | undefined = amountIn;
  for (const reserves of path) {
    if (amount === undefined || amount === 0n) return amount;
    amount = poolAmountOut(amount, reserves);
  }
  return amount;
}

/** Input that a path of pools requires for `amountOut`, equal to `getAmountsIn` of the router. */
export function amountInFor(amountOut: bigint, path: readonly Reserves[]): bigint | undefined {
  let amount: bigint | undefined = amountOut;
  for (const reserves of path.toReversed()) {
    if (amount === undefined) return undefined;
    amount = poolAmountIn(amount, reserves);
  }
  return amount;
}
