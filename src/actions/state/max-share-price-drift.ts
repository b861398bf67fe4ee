/**
 * How far a deposit may stay below its minimum without a loss, in parts per million: the shares of a vault grow dearer until
 * the deposit is mined. A day at 100 % a year.
 */
export const MAX_DRIFT_PPM = 3000n;
