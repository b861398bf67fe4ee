import type { Logger } from 'pino';

/** Logs an outage when it begins, then rarely, and when it has ended. */
export interface OutageLog {
  /** One failure. Those with a `reason` that this outage has not had yet are logged at once, up to a bound. */
  failed(message: string, details: object, reason?: string): void;
  succeeded(): void;
}

interface Outage {
  readonly since: number;
  readonly reasons: Set<string>;
  failures: number;
  failedAt: number;
  loggedAt: number;
}

const REPEAT_MS = 600_000;
/** Failures that are closer together are one outage: of an overloaded node, only some requests fail. */
const SETTLED_MS = 10_000;
const MAX_REASONS = 10;

/**
 * `subject` is part of every line; `recovered` is the message of the last one, a warning as the others, so that a log of
 * warnings shows the end as well.
 */
export function createOutageLog(
  log: Pick<Logger, 'warn'>,
  { subject, recovered }: { readonly subject: object; readonly recovered: string },
): OutageLog {
  let outage: Outage | undefined;
  return {
    failed(message, details, reason = message) {
      const now = performance.now();
      outage ??= { since: now, reasons: new Set(), failures: 0, failedAt: now, loggedAt: now };
      outage.failures += 1;
      outage.failedAt = now;
      const isNew = outage.reasons.size < MAX_REASONS && !outage.reasons.has(reason);
      if (!isNew && now - outage.loggedAt < REPEAT_MS) return;
      outage.reasons.add(reason);
      outage.loggedAt = now;
      log.warn({ ...subject, ...details, failures: outage.failures }, message);
    },
    succeeded() {
      if (outage === undefined || performance.now() - outage.failedAt < SETTLED_MS) return;
      const { failures, since, failedAt } = outage;
      outage = undefined;
      log.warn({ ...subject, failures, seconds: Math.round((failedAt - since) / 1000) }, recovered);
    },
  };
}
