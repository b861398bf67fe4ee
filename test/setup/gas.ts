import { usdCost } from '../../src/money/usd';
import { createGasBudgets, type GasBudgetsDeps } from '../../src/persistence/gas-budgets';
import type { Database } from '../../src/persistence/database';
import {
  createServiceTransactionStore,
  type ServiceTransactionStore,
} from '../../src/persistence/service-transaction-store';
import type { GasPricer } from '../../src/prices/gas-pricer';
import { usdPrice } from './usd';

/** Prices native coins with 18 decimals, at 3000 US dollars by default. */
export const gasPricer =
  (dollars = 3000): GasPricer =>
  (_, wei) =>
    Promise.resolve(usdCost(wei, 18, usdPrice(String(dollars))));

/** Budgets for gas that no test exceeds by accident. */
export const GAS_LIMITS = { sponsoredGasUsd: 1_000_000, completionGasUsd: 1_000_000, deploymentGasUsd: 1_000_000 };

export const gasBudgets = (
  limits: Partial<typeof GAS_LIMITS> = {},
  // The records are added up, however slow the machine is.
  { log = { warn: (): void => undefined }, maxCountMs = 60_000 }: Partial<Omit<GasBudgetsDeps, 'limits'>> = {},
) => createGasBudgets({ limits: { ...GAS_LIMITS, ...limits }, log, maxCountMs });

/** Transactions of the service, of customers with these budgets for gas. */
export const serviceTransactionStore = (
  database: Database,
  limits: Partial<typeof GAS_LIMITS> = {},
): ServiceTransactionStore => createServiceTransactionStore({ database, gasBudgets: gasBudgets(limits) });
