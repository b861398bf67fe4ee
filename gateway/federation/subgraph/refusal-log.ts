import type { Logger } from 'pino';

/** A sender that is refused repeats its requests: one line for each reason in this time. */
const INTERVAL_MS = 60_000;

/** What makes a subgraph refuse a gateway, for the log of both. */
export const SIGNATURE_ADVICE =
  'INTERNAL_SECRET must be the same in the gateway and its subgraphs, and their clocks must agree to a minute';

/** Logs refused requests, at most one in a minute for each kind of reason. */
export function createRefusalLog(
  log: Pick<Logger, 'warn'>,
  now = () => performance.now(),
): (reason: string, address: string) => void {
  const loggedAt = new Map<string, number>();
  return (reason, address) => {
    const kind = reason.replace(/[0-9]+/, '');
    if (now() - (loggedAt.get(kind) ?? -Infinity) < INTERVAL_MS) return;
    loggedAt.set(kind, now());
    log.warn({ address, reason }, `a request to the subgraph was refused: ${reason}. ${SIGNATURE_ADVICE}`);
  };
}
