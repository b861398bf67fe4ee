import type { CustomerId } from '../../auth/principal';
import type { CustomerStrategy, DeploymentFees } from '../../persistence/client/client';
import type { Database } from '../../persistence/database';
import { slugsOf } from '../catalog/merge-rows';
import type { Strategy } from '../strategy';
import { profitBpsOf, type StrategyFees } from '../strategy-fees';
import { STOCKS } from '../strategy-row';
import { deploymentFees } from './deployment-fees';
import { marksOf } from './fee-marks';
import type { RequestedFees } from './requested-fees';

/** The fees that one customer's users pay. */
export interface CustomerFees {
  of(strategy: Pick<Strategy, 'row'>): StrategyFees;
  /** True when they are the same for all strategies. */
  readonly isUniform: boolean;
}

/** Reads the fees of a customer, or those of the deployment, for all strategies. */
export type FeeReader = (customerId: CustomerId | undefined) => Promise<CustomerFees>;

/** The same fees for every strategy. Orders of tokenized stocks are free. */
export const uniformFees = (fees: StrategyFees): CustomerFees => ({
  of: ({ row }) => (row.protocol === STOCKS ? NO_FEES : fees),
  isUniform: true,
});

const NO_FEES: StrategyFees = { entryBps: 0, performanceBps: 0, markupBps: 0, collector: undefined, marks: [] };

/** Fees that customers set replace `defaults`, those of the deployment. One query, and one more with fees on profit of the deployment. */
export function createFeeReader({
  database,
  defaults,
}: {
  readonly database: Pick<Database, 'customerStrategy' | 'deploymentFees'>;
  readonly defaults: RequestedFees;
}): FeeReader {
  const isOnProfit = profitBpsOf(defaults) > 0;
  const readActivated = readActivatedFees(defaults);
  return async (customerId) => {
    const [rows, activatedRows] = await Promise.all([
      customerId === undefined ? [] : database.customerStrategy.findMany({ where: { customerId } }),
      isOnProfit ? database.deploymentFees.findMany() : [],
    ]);
    if (rows.length === 0 && !isOnProfit) return uniformFees({ ...defaults, marks: [] });
    const own = new Map(rows.map((row) => [row.strategyId, feesOfRow(row)]));
    const activated = new Map(activatedRows.map((row) => [row.strategyId, row]));
    return {
      of: ({ row }) => {
        if (row.protocol === STOCKS) return NO_FEES;
        const slugs = slugsOf(row);
        return firstOf(own, slugs) ?? readActivated(firstOf(activated, slugs));
      },
      isUniform: false,
    };
  };
}

/** The fees of the deployment of a row. Its marks are parsed once for as long as the row does not change. */
function readActivatedFees(defaults: RequestedFees): (row: DeploymentFees | undefined) => StrategyFees {
  const without = deploymentFees(defaults, undefined);
  const parsed = new Map<string, { readonly state: string; readonly fees: StrategyFees }>();
  return (row) => {
    if (row === undefined) return without;
    const { strategyId, performanceBps, markupBps, markBlocks, updatedAt } = row;
    const state = [updatedAt.getTime(), performanceBps, markupBps, ...markBlocks].join(' ');
    const known = parsed.get(strategyId);
    if (known?.state === state) return known.fees;
    const fees = deploymentFees(defaults, row);
    parsed.set(strategyId, { state, fees });
    return fees;
  };
}

/** The value that is stored under one of the names of a strategy: a renamed one keeps what was stored under its former id. */
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
