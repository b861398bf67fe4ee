import type { Logger } from 'pino';
import { INVALID_PRINCIPAL } from './internal-request';

/** A sender that is refused repeats its requests: one line for each reason in this time. */
const INTERVAL_MS = 60_000;

/** What makes a subgraph refuse the signature of a gateway, for the log of both. */
export const SIGNATURE_ADVICE =
  'INTERNAL_SECRET must be the same in the gateway and its subgraphs, and their clocks must agree to a minute';

const PRINCIPAL_ADVICE =
  'The gateway and its subgraphs must have the same version, and another router must sign a principal of docs/federation.md';

/** What to correct after a refusal. `reason` may be part of a longer text. */
export const refusalAdvice = (reason: string): string =>
  reason.includes(INVALID_PRINCIPAL) ? PRINCIPAL_ADVICE : SIGNATURE_ADVICE;

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
    log.warn({ address, reason }, `a request to the subgraph was refused: ${reason}. ${refusalAdvice(reason)}`);
  };
}
