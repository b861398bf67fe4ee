const WINDOW_MS = 300_000;
const MIN_ATTEMPTS = 10;
/** Share of failed attempts, in percent, at which the breaker opens. */
const FAILED_PERCENT = 70;
/** The first pause; each further one is twice as long. */
const MIN_OPEN_MS = 30_000;
const MAX_OPEN_MS = 3_600_000;
/** Time without a success after which the endpoint is disabled: longer than a weekend, or an outage of this service. */
const MAX_FAILING_MS = 5 * 86_400_000;

/** Breaker of an endpoint. It opens when most attempts in five minutes have failed, so that they do not use up the attempts of others. */
export interface Breaker {
  readonly openUntil: Date | null;
  /** How often it opened since the last success. */
  readonly openings: number;
  /** When it opened first since the last success; null while `openings` is 0. */
  readonly failingSince: Date | null;
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
  if (succeeded) return { ...counted, ...CLOSED };
  // Attempts that were in flight when it opened.
  if (breaker.openUntil !== null && breaker.openUntil > now) return breaker;
  if (breaker.openings === 0 && !isMostlyFailing(counted)) return { ...counted, ...CLOSED };
  return {
    ...emptyWindow(now),
    openUntil: new Date(now.getTime() + Math.min(MIN_OPEN_MS * 2 ** breaker.openings, MAX_OPEN_MS)),
    openings: breaker.openings + 1,
    failingSince: breaker.failingSince ?? now,
  };
}

/** True when the endpoint has to be disabled: it failed after each pause of five days. */
export const hasFailedTooLong = ({ failingSince }: Breaker, now: Date): boolean =>
  failingSince !== null && now.getTime() - failingSince.getTime() >= MAX_FAILING_MS;

const CLOSED = { openUntil: null, openings: 0, failingSince: null };

const emptyWindow = (now: Date) => ({ windowStart: now, windowAttempts: 0, windowFailures: 0 });

const isMostlyFailing = ({ windowAttempts, windowFailures }: Pick<Breaker, 'windowAttempts' | 'windowFailures'>) =>
  windowAttempts >= MIN_ATTEMPTS && windowFailures * 100 >= windowAttempts * FAILED_PERCENT;
