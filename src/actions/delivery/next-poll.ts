/** Longest interval between two polls of a delivery in progress. */
const MAX_INTERVAL_MS = 60_000;
/** Polls after which the interval doubles. */
const POLLS_PER_STAGE = 20;
/** Interval while a failed transfer may still be refunded, and the first one of a transfer that is left to its receiver. */
export const WATCH_INTERVAL_MS = 300_000;

/** Milliseconds until the next poll, after `pollCount` polls without a change. */
export function nextPollMs(pollMs: number, pollCount: number): number {
  const stage = Math.min(Math.floor(pollCount / POLLS_PER_STAGE), 20);
  return withJitter(Math.min(MAX_INTERVAL_MS, pollMs * 2 ** stage));
}

/** Longest interval while the receiver has to complete a transfer. */
const MAX_RECEIVER_INTERVAL_MS = 1_800_000;
/** Polls after which that interval doubles. */
const RECEIVER_POLLS_PER_STAGE = 12;

/**
 * Milliseconds until the next poll of a transfer that its receiver has to complete, and that may stay incomplete: five
 * minutes in the first hour, up to half an hour later.
 */
export function nextPollForReceiverMs(pollMs: number, pollCount: number): number {
  const stage = Math.min(Math.floor(pollCount / RECEIVER_POLLS_PER_STAGE), 20);
  return withJitter(Math.min(MAX_RECEIVER_INTERVAL_MS, Math.max(WATCH_INTERVAL_MS, pollMs) * 2 ** stage));
}

/** Milliseconds until the next poll after a failed one: twice the regular interval, at least 500. */
export const nextPollAfterFailureMs = (pollMs: number, pollCount: number): number =>
  Math.min(MAX_INTERVAL_MS, Math.max(500, pollMs, nextPollMs(pollMs, pollCount) * 2));

/** Adds up to a tenth, so that deliveries that started together are not polled together. */
const withJitter = (milliseconds: number): number => milliseconds * (1 + Math.random() / 10);
