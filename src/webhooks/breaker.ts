const WINDOW_MS = 300_000;
const MIN_ATTEMPTS = 10;
/** Share of failed attempts, in percent, at which the breaker opens. */
const FAILED_PERCENT = 70;
const OPEN_MS = 30_000;
/** Openings after the first one at which the endpoint is disabled. */
const MAX_REOPENINGS = 10;

/** Breaker of an endpoint. It opens when most attempts in five minutes have failed, so that they do not use up the attempts of others. */
export interface Breaker {
  readonly openUntil: Date | null;
  /** How often it opened since the last success. */
  readonly openings: number;
  readonly windowStart: Date;
  readonly windowAttempts: number;
  readonly windowFailures: number;
}

/** The breaker after an attempt. */
export function nextBreaker(breaker: Breaker, succeeded: boolean, now: Date): Breaker {
  const isOver = now.getTime() - breaker.windowStart.getTime() >= WINDOW_MS;
  const { windowStart, windowAttempts, windowFailures } = isOver ? emptyWindow(now) : breaker;
  const counted = {
    windowStart,
    windowAttempts: windowAttempts + 1,
    windowFailures: windowFailures + (succeeded ? 0 : 1),
  };
  if (succeeded) return { ...counted, openUntil: null, openings: 0 };
  // Attempts that were in flight when it opened.
  if (breaker.openUntil !== null && breaker.openUntil > now) return breaker;
  if (breaker.openings === 0 && !isMostlyFailing(counted)) return { ...counted, openUntil: null, openings: 0 };
  return {
    ...emptyWindow(now),
    openUntil: new Date(now.getTime() + OPEN_MS),
    openings: breaker.openings + 1,
  };
}

/** True when the endpoint has to be disabled: it failed again after each pause. */
export const hasFailedTooOften = ({ openings }: Breaker): boolean => openings > MAX_REOPENINGS;

const emptyWindow = (now: Date) => ({ windowStart: now, windowAttempts: 0, windowFailures: 0 });

const isMostlyFailing = ({ windowAttempts, windowFailures }: Pick<Breaker, 'windowAttempts' | 'windowFailures'>) =>
  windowAttempts >= MIN_ATTEMPTS && windowFailures * 100 >= windowAttempts * FAILED_PERCENT;
