import type { CustomerId } from '../../auth/principal';
import type { CustomerStrategy } from '../../persistence/client/client';
import type { Database } from '../../persistence/database';
import { slugsOf } from '../catalog/merge-rows';
import type { Strategy } from '../strategy';
import type { StrategyFees } from '../strategy-fees';
import { marksOf } from './fee-marks';

/** The fees that one customer's users pay. */
export interface CustomerFees {
  of(strategy: Pick<Strategy, 'row'>): StrategyFees;
  /** True when the customer set fees of its own for some strategy. */
  readonly hasOwn: boolean;
}

/** Reads the fees of a customer for all strategies. One query. */
export type FeeReader = (customerId: CustomerId) => Promise<CustomerFees>;

/** The same fees for every strategy. */
export const uniformFees = (fees: StrategyFees): CustomerFees => ({ of: () => fees, hasOwn: false });

/** Fees that customers set replace `defaults`, those of the deployment. */
export const createFeeReader =
  ({
    database,
    defaults,
  }: {
    readonly database: Pick<Database, 'customerStrategy'>;
    readonly defaults: StrategyFees;
  }) =>
  async (customerId: CustomerId): Promise<CustomerFees> => {
    const rows = await database.customerStrategy.findMany({ where: { customerId } });
    if (rows.length === 0) return uniformFees(defaults);
    const own = new Map(rows.map((row) => [row.strategyId, feesOfRow(row)]));
    return { of: ({ row }) => firstOf(own, slugsOf(row)) ?? defaults, hasOwn: true };
  };

/** What is stored of a strategy under one of its names: a renamed one keeps what was stored under its former id. */
export const firstOf = <Value>(stored: ReadonlyMap<string, Value>, slugs: readonly string[]): Value | undefined =>
  slugs.map((slug) => stored.get(slug)).find((value) => value !== undefined);

/** The stored fees of a strategy. */
export const feesOfRow = (row: CustomerStrategy): StrategyFees => ({
  entryBps: row.entryBps,
  performanceBps: row.performanceBps,
  markupBps: row.markupBps,
  collector: row.feeCollector ?? undefined,
  markupRecipient: row.markupRecipient ?? undefined,
  marks: marksOf(row),
});
