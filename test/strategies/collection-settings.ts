import { type Address, zeroAddress } from 'viem';
import { toMicroUsd } from '../../src/money/usd';
import { advanceWrites, type CollectionDeps } from '../../src/strategies/collection/advance-registry-writes';
import {
  type CollectionRegistry,
  createCollectionRegistry,
  type MinedState,
} from '../../src/strategies/collection/collection-registry';
import { planRuns } from '../../src/strategies/collection/plan-runs';
import type { RegistryEntry } from '../../src/strategies/collection/registry-contract';
import {
  rotateCollectionRecipients,
  setRecurringCollection,
} from '../../src/strategies/collection/set-recurring-collection';
import type { TestDatabase } from '../setup/test-database';
import { actor, COLLECTOR, feeWorld, PARTNER, STRATEGY } from './fee-world';
import { addressOf } from './scripted-catalog';

const REGISTRY = addressOf(700);
export const WALLET = addressOf(701);
const EMPTY: RegistryEntry = {
  vault: zeroAddress,
  performanceCollector: zeroAddress,
  markupRecipient: zeroAddress,
  performanceBps: 0,
  markupBps: 0,
  live: false,
  version: 0n,
};

const MINED: MinedState = { kind: 'executed', isFinal: true, blockNumber: 90n, collected: [] };
/** What the chain has for each customer. */
const entries = new Map<string, RegistryEntry>();

/** A registry in memory: an entry that was sent is mined and final at once. */
export async function collectionSettings(
  test: TestDatabase,
  fees = { performanceFeeBps: 300, markupFeeBps: 200, markupRecipient: PARTNER as string },
) {
  const opened = await feeWorld(test);
  const { deps: settings, set, customerId, log, strategies } = opened;
  const sent = new Map<string, unknown>();
  const chain = {
    sent,
    get entry() {
      return entries.get(customerId) ?? EMPTY;
    },
    set entry(entry: RegistryEntry) {
      entries.set(customerId, entry);
    },
  };
  const registry: CollectionRegistry = {
    ...createCollectionRegistry({ rpc: {} as never, serviceWallet: undefined, maxGasUsd: toMicroUsd(1n) }),
    addressOn: () => REGISTRY,
    readEntry: (place) => Promise.resolve(entries.get(place.customerId) ?? EMPTY),
    sendEntry(place, { id, sent: { entry, expectedVersion } }) {
      if (!sent.has(id)) entries.set(place.customerId, { ...entry, version: expectedVersion + 1n });
      sent.set(id, entry);
      return Promise.resolve({ txHash: '0x01' });
    },
    readTransaction: () => Promise.resolve(MINED),
  };
  const deps = { ...settings, registry };
  const jobs: CollectionDeps & { registry: CollectionRegistry } = {
    database: test.database,
    registry,
    strategies,
    log: log as never,
  };
  await set({ ...fees, feeCollector: COLLECTOR });
  const own = { ...actor, customerId };
  const key = { customerId, strategyId: STRATEGY };
  return {
    ...opened,
    deps,
    chain,
    key,
    jobs,
    turn: (state: string, intervalDays?: number) =>
      setRecurringCollection(deps, own, { strategyId: STRATEGY, state, intervalDays }),
    rotate: (recipients: { feeCollector?: string; markupRecipient?: string }) =>
      rotateCollectionRecipients(deps, own, { strategyId: STRATEGY, ...recipients }),
    advance: () => advanceWrites(jobs, Date.now() + 10_000, AbortSignal.timeout(10_000)),
    plan: () => planRuns(jobs),
    due: () => test.database.recurringCollection.updateMany({ where: key, data: { nextRunAt: new Date(0) } }),
    enrol: (wallet: Address = WALLET) => test.database.collectionEnrolment.create({ data: { ...key, wallet } }),
  };
}

export type CollectionSettings = Awaited<ReturnType<typeof collectionSettings>>;
