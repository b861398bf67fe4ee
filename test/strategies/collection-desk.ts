import type { Hex } from 'viem';
import { Logger } from 'graphile-worker';
import type { DevnetAccount } from '../../devnet/accounts';
import { SERVICE_WALLET_KEY } from '../../devnet/service-wallet';
import { prepareJobQueue } from '../../src/jobs/prepare-job-queue';
import type { MicroUsd } from '../../src/money/usd';
import { createServiceWallet } from '../../src/rpc/service-wallet';
import { collectFees } from '../../src/strategies/collection/collect-fees';
import type { CollectDeps } from '../../src/strategies/collection/collect-items';
import { createCollectionRegistry } from '../../src/strategies/collection/collection-registry';
import { enrolWallet } from '../../src/strategies/collection/enrol-wallet';
import { setRecurringCollection } from '../../src/strategies/collection/set-recurring-collection';
import { activateFees } from '../../src/strategies/fees/activate-fees';
import { createFeeReader } from '../../src/strategies/fees/customer-fees';
import { setStrategyFees } from '../../src/strategies/fees/set-strategy-fees';
import { PROTOCOLS } from '../../src/strategies/protocols/protocols';
import { gasPricer, serviceTransactionStore } from '../setup/gas';
import { strategyChain } from './local-strategies';
import type { OperationDesk } from './operation-desk';

const NO_FEES = { entryBps: 0, performanceBps: 0, markupBps: 0, collector: undefined };
const DAY = 86_400;
const quiet = { info: () => undefined, warn: () => undefined };

interface DeskFees {
  readonly strategyId: string;
  readonly performanceFeeBps: number;
  readonly markupFeeBps: number;
  readonly feeCollector: string;
  readonly markupRecipient: string;
}

export type CollectionDesk = Awaited<ReturnType<typeof openCollectionDesk>>;

/** The collection of the fees of a customer on a local chain, with the service's wallet and a worker that runs when it is called. */
export async function openCollectionDesk(desk: OperationDesk, { strategyId, ...fees }: DeskFees) {
  const { customerId, strategies, rpc, devnet } = desk;
  const { database, pool, url } = desk.world;
  await prepareJobQueue({ url, logger: new Logger(() => () => undefined) });
  const local = strategyChain(desk.universe, devnet);
  const serviceWallet = createServiceWallet({
    key: SERVICE_WALLET_KEY,
    rpc,
    store: serviceTransactionStore(database),
    priceGas: gasPricer(),
    log: quiet,
  });
  const registryAt = (maxGasUsd: bigint) =>
    createCollectionRegistry({ rpc, serviceWallet, maxGasUsd: maxGasUsd as MicroUsd });
  const registry = registryAt(100_000_000n);
  const actor = { customerId, subject: 'ana', role: 'owner', requestId: 'r' } as const;
  const readFees = createFeeReader({ database, defaults: NO_FEES });
  const settings = {
    database,
    strategies,
    registry,
    defaults: NO_FEES,
    blockedAddresses: new Set<string>(),
    findContractKind: desk.deps.findContractKind,
  };
  const jobs: CollectDeps = {
    database,
    strategies,
    registry,
    readFees,
    positions: desk.deps.positions,
    log: quiet as never,
  };
  const signal = () => AbortSignal.timeout(60_000);

  /** Empty blocks, until what was mined is final. */
  async function confirm(): Promise<void> {
    for (let count = 0; count <= devnet.confirmations; count += 1) await local.wait(1);
  }
  const run = (changes: Partial<CollectDeps> = {}) => collectFees({ ...jobs, ...changes }, signal());

  return {
    local,
    registry,
    registryAt,
    readFees,
    confirm,
    run,
    /** Runs the job after all pauses. */
    async next(changes: Partial<CollectDeps> = {}) {
      await pool.query(`UPDATE "CollectionItem" SET "nextAt" = now() WHERE "finishedAt" IS NULL`);
      await pool.query(`UPDATE "RegistryWrite" SET "nextAt" = now() WHERE "finishedAt" IS NULL`);
      await run(changes);
    },
    /** Sets the fees, activates them, and turns the collection on. */
    async turnOn(): Promise<void> {
      await setStrategyFees(settings, actor, { strategyId, ...fees });
      await confirm();
      await activateFees({ database, rpc, strategies, protocols: PROTOCOLS, log: quiet }, signal());
      await setRecurringCollection(settings, actor, { strategyId, state: 'LIVE', intervalDays: 30 });
      await run();
      await confirm();
      await this.next();
    },
    /** The registration of a wallet. Sends nothing. */
    register: (wallet: string) => enrolWallet(settings, { customerId, actor, strategyId, wallet }),
    /** The wallet agrees on chain as well. */
    async enrol({ address, privateKey }: Pick<DevnetAccount, 'address' | 'privateKey'>) {
      const enrolment = await enrolWallet(settings, { customerId, actor, strategyId, wallet: address });
      for (const { to, data } of enrolment.transactions) await local.send(privateKey, { to: to as Hex, data });
      return enrolment;
    },
    /** Days later the next run is due. Runs of one second would be of the same period. */
    async due(days = 30): Promise<void> {
      await local.wait(days * DAY);
      const count = await database.collectionRun.count({ where: { customerId } });
      const nextRunAt = new Date(Date.now() - 60_000 + count * 1000);
      await database.recurringCollection.updateMany({ where: { customerId }, data: { nextRunAt } });
    },
    state: async () => (await database.recurringCollection.findFirst({ where: { customerId } }))?.state,
    runs: () => database.collectionRun.findMany({ where: { customerId }, orderBy: { period: 'asc' } }),
    items: (wallet: string) =>
      database.collectionItem.findMany({ where: { customerId, wallet }, orderBy: { createdAt: 'asc' } }),
    sentFor: (actionId: string) => database.serviceTransaction.count({ where: { actionId } }),
    /** The chain goes back to a former state: what was stored of it goes with it. */
    async forget(): Promise<void> {
      await database.customerStrategy.deleteMany();
      await database.serviceTransaction.deleteMany();
      await database.positionCursor.deleteMany();
      await database.unreadPosition.deleteMany();
      await pool.query('TRUNCATE "Action" CASCADE');
    },
  };
}
