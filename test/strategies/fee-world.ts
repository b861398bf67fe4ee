import { Logger } from 'graphile-worker';
import type { Actor } from '../../src/auth/audit-log';
import type { CustomerId } from '../../src/auth/principal';
import { createCustomer } from '../../src/customers/customers';
import { prepareJobQueue } from '../../src/jobs/prepare-job-queue';
import { activateFees } from '../../src/strategies/fees/activate-fees';
import { createFeeReader } from '../../src/strategies/fees/customer-fees';
import { findCustomerStrategy } from '../../src/strategies/fees/customer-strategies';
import type { FeeChanges } from '../../src/strategies/fees/requested-fees';
import { setStrategyFees } from '../../src/strategies/fees/set-strategy-fees';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { rejection } from '../swaps/swap-world';
import { catalogWorld } from './catalog-world';
import { addressOf, rowOf } from './scripted-catalog';

export const STRATEGY = 'vault-1-ethereum';
export const [COLLECTOR, PARTNER, BLOCKED] = [addressOf(501), addressOf(502), addressOf(503)] as const;
export const DEFAULTS = { entryBps: 10, performanceBps: 500, markupBps: 0, collector: addressOf(500), marks: [] };
export const RAISED = { performanceFeeBps: 2000, feeCollector: COLLECTOR };

/** A database with the queue of jobs. */
export async function feeDatabase(): Promise<TestDatabase> {
  const test = await createTestDatabase();
  await prepareJobQueue({ url: test.url, logger: new Logger(() => () => undefined) });
  return test;
}

export const addCustomer = ({ database }: Pick<TestDatabase, 'database'>, name: string) =>
  createCustomer(database, { name });

/** A customer who sets fees of a strategy whose chain is scripted. */
export async function feeWorld(test: TestDatabase, rows = [rowOf(1), rowOf(2)]) {
  await test.database.deploymentFees.deleteMany();
  const opened = await catalogWorld(test, rows);
  const { id: customerId } = await addCustomer(test, 'acme');
  const { database } = test;
  const { strategies, nodes, protocols } = opened;
  const log = { info: jest.fn(), warn: jest.fn() };
  const deps = {
    database,
    strategies,
    defaults: DEFAULTS,
    blockedAddresses: new Set([BLOCKED.toLowerCase()]),
    findContractKind: (_: number, address: string) =>
      Promise.resolve(address === addressOf(1) ? ('token' as const) : undefined),
  };
  const actorOf = (id: CustomerId): Actor => ({ customerId: id, subject: 'ana', role: 'owner', requestId: 'r' });
  return {
    ...opened,
    customerId,
    deps,
    log,
    set: (changes: FeeChanges, id = customerId) =>
      setStrategyFees(deps, actorOf(id), { strategyId: STRATEGY, ...changes }),
    activate: () => activateFees({ database, rpc: nodes.rpc, strategies, protocols, log }, AbortSignal.timeout(10_000)),
    find: (id = customerId) => findCustomerStrategy(deps, { customerId: id, strategyId: STRATEGY }),
    fees: async (id = customerId, row = rowOf(1)) =>
      (await createFeeReader({ database, defaults: DEFAULTS })(id)).of({ row }),
    /** Makes open requests due at once, as after their pause. */
    elapse: () =>
      test.pool.query(`UPDATE "FeeActivation" SET "nextAt" = now() - interval '1 second' WHERE "finishedAt" IS NULL`),
  };
}

export const codeOf = async (work: Promise<unknown>) => ((await rejection(work)) as { readonly code: string }).code;
export const issuesOf = async (work: Promise<unknown>) => {
  const { details } = (await rejection(work)) as { readonly details: { readonly errors: { path: string }[] } };
  return details.errors.map(({ path }) => path);
};

export const actor: Actor = { customerId: '' as CustomerId, subject: 'ana', role: 'owner', requestId: 'r' };
