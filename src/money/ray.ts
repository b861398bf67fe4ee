/** One as a ray: fixed point with 27 decimals, in which protocols state indexes, prices of shares and rates. */
export const RAY = 10n ** 27n;
const HALF_RAY = RAY / 2n;

export const SECONDS_PER_YEAR = 31_536_000n;

/** Product of an amount and a ray, rounded half up, as in Aave's WadRayMath. */
export const multiplyRayHalfUp = (amount: bigint, ray: bigint): bigint => (amount * ray + HALF_RAY) / RAY;

/** Product of an amount and a ray, rounded down. */
export const multiplyRayDown = (amount: bigint, ray: bigint): bigint => (amount * ray) / RAY;

/** Product of an amount and a ray, rounded up. */
export const multiplyRayUp = (amount: bigint, ray: bigint): bigint => (amount * ray + RAY - 1n) / RAY;

/** Quotient of an amount and a positive ray, rounded down. */
export const divideRayDown = (amount: bigint, ray: bigint): bigint => (amount * RAY) / ray;
