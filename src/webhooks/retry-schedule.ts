const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Delay before each attempt, in milliseconds. */
const STEPS_MS = [
  ...[0, 5000, 5 * MINUTE, 30 * MINUTE],
  ...[2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
] as const;

/** Attempts after which a delivery is parked. */
export const MAX_ATTEMPTS = STEPS_MS.length;
/** Maximum difference between a delay and its step, as a share of the step. */
const JITTER = 0.2;

export interface FailedAttempts {
  /** Number of attempts that have failed. */
  readonly attempts: number;
  /** From the response to the last one. */
  readonly retryAfterSeconds: number | undefined;
  /** From 0 to 1; chooses the jitter. */
  readonly random: number;
}

/**
 * Milliseconds until the next attempt; `undefined` after the last one. A receiver may request a later attempt, up to twice
 * the step.
 */
export function retryDelayMs({ attempts, retryAfterSeconds, random }: FailedAttempts): number | undefined {
  const step = STEPS_MS[attempts];
  if (step === undefined) return undefined;
  const withJitter = Math.round(step * (1 - JITTER + 2 * JITTER * random));
  if (retryAfterSeconds === undefined) return withJitter;
  return Math.max(withJitter, Math.min(retryAfterSeconds * 1000, 2 * step));
}
