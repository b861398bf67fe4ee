import { z } from 'zod';
import type { Logger } from 'pino';
import { lockCustomer } from '../../auth/lock-customer';
import type { CustomerId } from '../../auth/principal';
import { describeFailure } from '../../errors/describe-failure';
import { isServiceError } from '../../errors/service-error';
import type { Database } from '../../persistence/database';
import type { Strategies } from '../catalog/strategies';
import type { FeeMark } from '../strategy-fees';
import { feesOfRow } from './customer-fees';
import { withMark } from './fee-marks';
import { type MarkDeps, readMark } from './read-mark';

export interface ActivateFeesDeps extends MarkDeps {
  readonly database: Database;
  readonly strategies: Pick<Strategies, 'get' | 'ready'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** Longer than an attempt. Each failed one is followed by a longer pause. */
const FIRST_PAUSE_SECONDS = 15;
const MAX_PAUSE_SECONDS = 600;
const CONCURRENT = 8;
/** No further requests are begun after this time: the next run of the job continues. */
const RUN_MS = 40_000;
/** About two days. */
const MAX_ATTEMPTS = 300;

const claimedRow = z.object({
  id: z.string(),
  customerId: z.string().transform((id) => id as CustomerId),
  strategyId: z.string(),
  performanceBps: z.int(),
  markupBps: z.int(),
  attempts: z.int(),
});
type ClaimedActivation = z.infer<typeof claimedRow>;

/**
 * Activates requested fees on profit: reads the share price after a final block, from which profit counts, and stores it with
 * the fees. Any replica continues a request whose worker died. Returns the number of attempts.
 */
export async function activateFees(deps: ActivateFeesDeps, signal: AbortSignal): Promise<number> {
  const until = Date.now() + RUN_MS;
  await deps.strategies.ready();
  let attempts = 0;
  while (Date.now() < until && !signal.aborted) {
    const claimed = await claim(deps.database);
    if (claimed.length === 0) break;
    await Promise.all(claimed.map((one) => activateOne(deps, one, signal)));
    attempts += claimed.length;
  }
  return attempts;
}

/** Each to one worker: a request whose worker dies is due again after a time that grows with each attempt. */
async function claim(database: Database): Promise<readonly ClaimedActivation[]> {
  const rows = await database.$queryRaw<unknown[]>`
    UPDATE "FeeActivation" AS activation
       SET state = 'RECONCILING', attempts = attempts + 1,
           "nextAt" = now() + make_interval(secs => least(${FIRST_PAUSE_SECONDS} * 2 ^ least(attempts, 10), ${MAX_PAUSE_SECONDS}))
     WHERE id IN (
       SELECT id FROM "FeeActivation" WHERE state IN ('REQUESTED', 'RECONCILING') AND "nextAt" <= now()
        ORDER BY "nextAt" LIMIT ${CONCURRENT} FOR UPDATE SKIP LOCKED)
    RETURNING id::text, "customerId"::text, "strategyId", "performanceBps", "markupBps", attempts`;
  return rows.map((row) => claimedRow.parse(row));
}

/** A failure concerns this request only. */
async function activateOne(deps: ActivateFeesDeps, claimed: ClaimedActivation, signal: AbortSignal): Promise<void> {
  const { id, customerId, strategyId } = claimed;
  try {
    const mark = await readMark(deps, deps.strategies.get(strategyId), signal);
    const isActive = await activate(deps.database, claimed, mark);
    if (isActive) deps.log.info({ customerId, strategyId }, 'fees on the profit of a strategy are active');
  } catch (error) {
    deps.log.warn(
      { customerId, strategyId, cause: describeFailure(error) },
      'fees on profit could not be activated yet',
    );
    const isGone = isServiceError(error) && error.code === 'STRATEGY_NOT_FOUND';
    const hasEnded = isGone || claimed.attempts >= MAX_ATTEMPTS;
    await deps.database.feeActivation.updateMany({
      where: { id, customerId, state: 'RECONCILING' },
      data: {
        reason: isGone ? 'The strategy is no longer offered' : 'The chain of the strategy did not respond as expected',
        ...(hasEnded ? { state: 'FAILED', finishedAt: new Date() } : {}),
      },
    });
  }
}

/**
 * Request and fees change together, after or before all other changes of the customer: a concurrent one neither reads the former
 * fees nor overwrites the activated ones. False when another worker was first.
 */
function activate(
  database: Database,
  { id, customerId, strategyId, performanceBps, markupBps }: ClaimedActivation,
  mark: FeeMark,
): Promise<boolean> {
  return database.$transaction(async (tx) => {
    await lockCustomer(tx, customerId);
    const { count } = await tx.feeActivation.updateMany({
      where: { id, customerId, state: 'RECONCILING' },
      data: { state: 'ACTIVE', reason: null, finishedAt: new Date() },
    });
    if (count === 0) return false;
    const where = { customerId_strategyId: { customerId, strategyId } };
    const { marks } = feesOfRow(await tx.customerStrategy.findUniqueOrThrow({ where }));
    const data = { performanceBps, markupBps, ...withMark(marks, mark), updatedAt: new Date() };
    await tx.customerStrategy.update({ where, data });
    return true;
  });
}
