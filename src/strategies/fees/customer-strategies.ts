import type { CustomerId } from '../../auth/principal';
import { serviceError } from '../../errors/service-error';
import type { FeeActivation } from '../../persistence/client/client';
import type { Database } from '../../persistence/database';
import { slugOf } from '../catalog/merge-rows';
import type { Strategies } from '../catalog/strategies';
import type { StrategyFees } from '../strategy-fees';
import { collectionView, type RecurringCollectionView } from '../collection/collection-view';
import { feesOfRow, firstOf } from './customer-fees';

export const ACTIVATION_STATES = ['REQUESTED', 'RECONCILING', 'ACTIVE', 'FAILED'] as const;

/** A request for higher fees on profit. */
export interface FeeActivationView {
  readonly id: string;
  readonly state: string;
  readonly performanceFeeBps: number;
  readonly markupFeeBps: number;
  readonly requestedAt: Date;
  /** When it was activated or failed; null while it is in progress. */
  readonly finishedAt: Date | null;
  /** Why the last attempt failed; null for none. */
  readonly reason: string | null;
}

/** The fees that a customer set for a strategy. */
export interface CustomerStrategyView {
  /** In lower case: the id that the strategy had when the fees were set first. */
  readonly strategyId: string;
  readonly entryFeeBps: number;
  readonly performanceFeeBps: number;
  readonly markupFeeBps: number;
  readonly feeCollector: string | null;
  /** Null when the fee collector receives the markup. */
  readonly markupRecipient: string | null;
  /** Profit until the end of this block is free; null when all profit counts. */
  readonly freeUntilBlock: string | null;
  /** The latest request for higher fees on profit. */
  readonly activation: FeeActivationView | null;
  /** Collection of the fees on profit without a withdrawal; null when it was never turned on. */
  readonly recurringCollection: RecurringCollectionView | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

type Rows = { readonly database: Pick<Database, 'customerStrategy' | 'feeActivation'> };

const NEWEST = { orderBy: { createdAt: 'desc' as const }, take: 1 };
const LATEST = { feeActivations: NEWEST, recurringCollection: { include: { writes: NEWEST } } };

/** The strategies for which a customer set fees, by id. */
export async function listCustomerStrategies(
  { database }: Rows,
  customerId: CustomerId,
): Promise<readonly CustomerStrategyView[]> {
  const query = { where: { customerId }, orderBy: { strategyId: 'asc' as const }, include: LATEST };
  return (await database.customerStrategy.findMany(query)).map(viewOfRow);
}

/**
 * The fees for a strategy by its id, slug or alias, or by the id that it had when it was offered.
 *
 * @throws CUSTOMER_STRATEGY_NOT_FOUND when the customer set no fees for it, whether another one did or not
 */
export async function findCustomerStrategy(
  { database, strategies }: Rows & { readonly strategies: Pick<Strategies, 'slugsOf'> },
  { customerId, strategyId: name }: { readonly customerId: CustomerId; readonly strategyId: string },
): Promise<CustomerStrategyView> {
  const slugs = IS_NAME.test(name) ? [...strategies.slugsOf(name), slugOf(name)] : [];
  const rows = await database.customerStrategy.findMany({
    where: { customerId, strategyId: { in: slugs } },
    include: LATEST,
  });
  const row = firstOf(new Map(rows.map((each) => [each.strategyId, each])), slugs);
  if (row === undefined) throw serviceError('CUSTOMER_STRATEGY_NOT_FOUND', { strategyId: name.slice(0, MAX_SHOWN) });
  return viewOfRow(row);
}

/** Characters of names of strategies. The database refuses some of the others. */
const IS_NAME = /^[\w.:-]+$/;
/** More than an id can have. */
const MAX_SHOWN = 128;

type Row = Parameters<typeof feesOfRow>[0] & {
  readonly feeActivations: readonly FeeActivation[];
  readonly recurringCollection: Parameters<typeof collectionView>[0] | null;
};

function viewOfRow({ feeActivations: [latest], recurringCollection, ...row }: Row): CustomerStrategyView {
  const fees: StrategyFees = feesOfRow(row);
  return {
    strategyId: row.strategyId,
    entryFeeBps: fees.entryBps,
    performanceFeeBps: fees.performanceBps,
    markupFeeBps: fees.markupBps,
    feeCollector: row.feeCollector,
    markupRecipient: row.markupRecipient,
    freeUntilBlock: fees.marks.at(-1)?.blockNumber.toString() ?? null,
    activation: latest === undefined ? null : activationView(latest),
    recurringCollection: recurringCollection === null ? null : collectionView(recurringCollection),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

const activationView = (row: FeeActivation): FeeActivationView => ({
  id: row.id,
  state: row.state,
  performanceFeeBps: row.performanceBps,
  markupFeeBps: row.markupBps,
  requestedAt: row.createdAt,
  finishedAt: row.finishedAt,
  reason: row.reason,
});
