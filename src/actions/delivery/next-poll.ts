/** The longest time between two looks at a delivery that is on its way. */
const LONGEST_MS = 60_000;
/** Looks after which the time between them doubles. */
const LOOKS_A_STAGE = 20;
/** Between two looks at what the provider gave up, and whose money may yet come back. */
export const WATCH_MS = 300_000;

/** Time until the next look at a delivery that was looked at so often since it last changed. */
export function nextLookMs(pollMs: number, looks: number): number {
  const stage = Math.min(Math.floor(looks / LOOKS_A_STAGE), 20);
  return withJitter(Math.min(LONGEST_MS, pollMs * 2 ** stage));
}

/** Time until the next look after one that failed: twice as long as it would have been, and half a second at least. */
export const nextLookAfterFailureMs = (pollMs: number, looks: number): number =>
  Math.min(LONGEST_MS, Math.max(500, pollMs, nextLookMs(pollMs, looks) * 2));

/** Up to a tenth more, so that what began together does not stay together. */
const withJitter = (milliseconds: number): number => milliseconds * (1 + Math.random() / 10);
