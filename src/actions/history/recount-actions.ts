import type { Logger } from 'pino';
import type { Database } from '../../persistence/database';
import { repairCounters } from './repair-counters';
import { repairParties } from './repair-parties';

/** Name of the recount in `CounterDrift`. */
const RECOUNT = 'actions';
/** Wallets that a log line names. */
const MAX_LOGGED = 10;

export interface RecountDeps {
  readonly database: Database;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Compares the parties of all actions and the counters of all wallets with the actions, repairs what differs, and stores the
 * number of differences, which the health report shows. An aborted run stores nothing. Two runs at a time are harmless.
 */
export async function recountActions({ database, log }: RecountDeps, signal: AbortSignal): Promise<void> {
  const actions = await repairParties(database, signal);
  const wallets = await repairCounters({ database, log }, signal);
  if (signal.aborted) return;
  const counters = wallets.reduce((sum, { drift }) => sum + drift, 0n);
  if (actions > 0 || counters > 0n) {
    const named = wallets.slice(0, MAX_LOGGED).map(({ customerId, wallet }) => ({ customerId, wallet }));
    log.warn({ actions, counters, wallets: named }, 'parties or counters of actions differed and were repaired');
  }
  const drift = { drift: BigInt(actions) + counters, countedAt: new Date() };
  await database.counterDrift.upsert({ where: { name: RECOUNT }, create: { name: RECOUNT, ...drift }, update: drift });
}
