import type { Logger } from 'pino';
import { describeFailure } from '../../errors/describe-failure';
import type { DeploymentFees } from '../../persistence/client/client';
import type { Database } from '../../persistence/database';
import { slugOf, slugsOf } from '../catalog/merge-rows';
import type { Strategies } from '../catalog/strategies';
import { groupBy } from '../positions/group-by';
import type { Strategy } from '../strategy';
import { profitBpsOf } from '../strategy-fees';
import { STOCKS } from '../strategy-row';
import { firstOf } from './customer-fees';
import { marksOf, MAX_MARKS, storedMarks, withMark } from './fee-marks';
import { type MarkDeps, readMark, UnreadablePriceError } from './read-mark';
import type { RequestedFees } from './requested-fees';

export interface ActivateDeploymentFeesDeps extends MarkDeps {
  readonly database: Database;
  readonly strategies: Pick<Strategies, 'all' | 'ready'>;
  /** The fees that the deployment is configured with. */
  readonly defaults: RequestedFees;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

const CONCURRENT = 8;
/** No further strategies are begun after this time: the next run of the job continues. */
const RUN_MS = 20_000;

/**
 * Lower fees are stored after they were configured for this time. What is charged follows them at once: only a later raise needs
 * to know of them. Replicas with different fees that run beside each other for a while then leave no marks.
 */
const LOWER_AFTER_MS = 3_600_000;

/** A strategy on which other fees are active than those that are configured. */
interface ChangedFees {
  readonly strategy: Strategy;
  readonly activated: DeploymentFees | undefined;
}

/**
 * Activates the configured fees on profit for each strategy. Higher ones are stored with the share price after a final block, from
 * which profit counts; lower ones as they are after an hour, so that a later raise has a mark of its own. Without fees nothing is
 * stored. What another worker has activated meanwhile stays. Returns the number of activated strategies.
 */
export async function activateDeploymentFees(deps: ActivateDeploymentFeesDeps, signal: AbortSignal): Promise<number> {
  const { database, strategies, defaults } = deps;
  await strategies.ready();
  await noteLower(database, profitBpsOf(defaults));
  const rows = new Map((await database.deploymentFees.findMany()).map((row) => [row.strategyId, row]));
  const changed = strategies.all().flatMap((strategy) => {
    // Orders are free of fees.
    if (strategy.row.protocol === STOCKS) return [];
    const activated = firstOf(rows, slugsOf(strategy.row));
    return isActive(defaults, activated) || mayAlternate(defaults, activated) ? [] : [{ strategy, activated }];
  });
  const chains = [...groupBy(changed, ({ strategy }) => strategy.chain.chainId).values()];
  const counts = await Promise.all(chains.map((ofChain) => activateChain(deps, ofChain, signal)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Notes since when lower fees than the active ones are configured, or that they no longer are. */
const noteLower = (database: Database, configuredBps: number): Promise<number> =>
  database.$executeRaw`
    UPDATE "DeploymentFees"
       SET "lowerSince" = CASE WHEN "performanceBps" + "markupBps" > ${configuredBps} THEN now() END
     WHERE ("lowerSince" IS NULL) = ("performanceBps" + "markupBps" > ${configuredBps})`;

const isActive = ({ performanceBps, markupBps }: RequestedFees, activated: DeploymentFees | undefined): boolean =>
  performanceBps === (activated?.performanceBps ?? 0) && markupBps === (activated?.markupBps ?? 0);

/** True for lower fees that were configured shortly: another replica may have the active ones still, and note so meanwhile. */
function mayAlternate(configured: RequestedFees, activated: DeploymentFees | undefined): boolean {
  if (activated === undefined || profitBpsOf(configured) >= profitBpsOf(activated)) return false;
  const since = activated.lowerSince?.getTime();
  return since === undefined || Date.now() - since < LOWER_AFTER_MS;
}

/** The job runs once in this time: each run then begins with other strategies. */
const RUN_EVERY_MS = 60_000;

/**
 * Some strategies at a time, other ones first in each minute. A chain that does not respond for any of them ends its run; a
 * strategy that alone does not leaves the others alone.
 */
async function activateChain(
  deps: ActivateDeploymentFeesDeps,
  changed: readonly ChangedFees[],
  signal: AbortSignal,
): Promise<number> {
  const until = Date.now() + RUN_MS;
  const first = (Math.floor(Date.now() / RUN_EVERY_MS) * CONCURRENT) % changed.length;
  const ordered = [...changed.slice(first), ...changed.slice(0, first)];
  let count = 0;
  for (let start = 0; start < ordered.length && Date.now() < until && !signal.aborted; start += CONCURRENT) {
    const group = ordered.slice(start, start + CONCURRENT);
    const results = await Promise.all(group.map((each) => activateOne(deps, each, signal)));
    count += results.filter((result) => result === 'activated').length;
    if (results.every((result) => result === 'unavailable')) break;
  }
  return count;
}

async function activateOne(
  deps: ActivateDeploymentFeesDeps,
  changed: ChangedFees,
  signal: AbortSignal,
): Promise<'activated' | 'unchanged' | 'failed' | 'unavailable'> {
  const strategyId = changed.strategy.row.id;
  try {
    const isStored = await store(deps, changed, await marksAfter(deps, changed, signal));
    if (!isStored) return 'unchanged';
    deps.log.info({ strategyId }, 'the fees of the deployment on a strategy are active');
    return 'activated';
  } catch (error) {
    deps.log.warn(
      { strategyId, cause: describeFailure(error) },
      'the fees of the deployment on a strategy could not be activated yet',
    );
    return error instanceof UnreadablePriceError || error instanceof TooManyMarksError ? 'failed' : 'unavailable';
  }
}

class TooManyMarksError extends Error {
  override readonly name = 'TooManyMarksError';
}

async function marksAfter(
  deps: ActivateDeploymentFeesDeps,
  { strategy, activated }: ChangedFees,
  signal: AbortSignal,
): Promise<ReturnType<typeof storedMarks>> {
  const marks = activated === undefined ? [] : marksOf(activated);
  const former = activated === undefined ? 0 : profitBpsOf(activated);
  if (profitBpsOf(deps.defaults) <= former) return storedMarks(marks);
  if (marks.length >= MAX_MARKS)
    throw new TooManyMarksError(`fees on profit were raised ${String(MAX_MARKS)} times: the former ones apply`);
  return withMark(marks, await readMark(deps, strategy, signal));
}

/** False when another worker was first. */
async function store(
  { database, defaults: { performanceBps, markupBps } }: ActivateDeploymentFeesDeps,
  { strategy, activated }: ChangedFees,
  marks: ReturnType<typeof storedMarks>,
): Promise<boolean> {
  const data = { performanceBps, markupBps, ...marks, lowerSince: null, updatedAt: new Date() };
  if (activated === undefined) {
    const created = { ...data, strategyId: slugOf(strategy.row.id), chainId: BigInt(strategy.chain.chainId) };
    const { count } = await database.deploymentFees.createMany({ data: created, skipDuplicates: true });
    return count > 0;
  }
  const { strategyId, updatedAt, ...former } = activated;
  const where = { strategyId, updatedAt, performanceBps: former.performanceBps, markupBps: former.markupBps };
  const { count } = await database.deploymentFees.updateMany({ where, data });
  return count > 0;
}
