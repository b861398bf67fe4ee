export interface Backoff {
  /** Delay before the first repetition. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** Failures in a row; 0 gives `baseMs`. */
  readonly failures: number;
}

/** Delay before the next attempt, in milliseconds: doubles with each failure, up to `maxMs`. */
export const backoffMs = ({ baseMs, maxMs, failures }: Backoff): number =>
  Math.min(maxMs, baseMs * 2 ** Math.min(failures, 30));
