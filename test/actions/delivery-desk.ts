import { createChainTable } from '../../src/chains/chain-table';
import { toBaseUnits } from '../../src/money/base-units';
import { parseShare } from '../../src/money/slippage';
import type { DeliveryDeps } from '../../src/actions/delivery/delivery-deps';
import { claimDueDeliveries } from '../../src/actions/delivery/claim-deliveries';
import { pollDelivery } from '../../src/actions/delivery/poll-delivery';
import type { Database } from '../../src/persistence/database';
import type { DeliveryState } from '../../src/venues/delivery-source';
import { usd } from '../setup/usd';
import { BRIDGE, makeDue, scriptedSource, type ScriptedSource, someChain, someHash } from './sample-transfer';

/** The service does not read these chains, so the provider's report decides. */
const chains = createChainTable([someChain(31337), someChain(31338)]);
const rpc = { serves: () => false } as unknown as DeliveryDeps['rpc'];
/** Serves no Solana chain. */
export const noSolana: DeliveryDeps['solana'] = { serves: () => false, transactions: () => Promise.resolve([]) };
/** Has no tokens and no prices. */
export const noMarket: Pick<DeliveryDeps, 'tokens' | 'prices'> = {
  tokens: { find: () => Promise.resolve(undefined) },
  prices: { priceUsd: () => Promise.resolve(undefined) },
};
/** Shows all completing calls to the receivers. */
export const noServiceWallet: Pick<DeliveryDeps, 'serviceWallet' | 'minCompletionUsd' | 'maxCompletionCostShare'> = {
  serviceWallet: undefined,
  minCompletionUsd: usd('1'),
  maxCompletionCostShare: parseShare('0.1')!,
};
const silent = { info: () => undefined, warn: () => undefined };

/** Deliveries become due only through `makeDue`, so that a test polls only its own. */
export const deskOf = (database: Database, source: ScriptedSource): DeliveryDeps => ({
  database,
  rpc,
  solana: noSolana,
  chains,
  ...noMarket,
  ...noServiceWallet,
  log: silent,
  pollMs: 60_000,
  sources: new Map([[BRIDGE, source]]),
});

/** Makes the delivery due and polls every due delivery once. */
export async function poll(deps: DeliveryDeps, id: string): Promise<void> {
  await makeDue(deps.database, id);
  for (const delivery of await claimDueDeliveries(deps, BRIDGE, 100)) await pollDelivery(deps, delivery);
}

/** Each replica claims the delivery, as after the lease of the one before, and then all of them poll it. */
export async function pollAtOnce(replicas: readonly DeliveryDeps[], id: string): Promise<void> {
  const polls: (() => Promise<void>)[] = [];
  for (const replica of replicas) {
    await makeDue(replica.database, id);
    const claimed = await claimDueDeliveries(replica, BRIDGE, 100);
    polls.push(...claimed.map((delivery) => () => pollDelivery(replica, delivery)));
  }
  await Promise.all(polls.map((start) => start()));
}

export interface ScriptedPoll {
  readonly state: DeliveryState | Error;
  readonly source?: ScriptedSource;
}

/** Polls the delivery once; the provider reports the state. */
export async function pollWith(
  database: Database,
  id: string,
  { state, source = scriptedSource() }: ScriptedPoll,
): Promise<void> {
  source.respondWith(state);
  await poll(deskOf(database, source), id);
}

export const delivered = (txHash: string = someHash(), amount = 99_000_000n): DeliveryState => ({
  status: 'delivered',
  txHash,
  amount: toBaseUnits(amount),
  partial: false,
});

export const refunded = (txHash: string = someHash()): DeliveryState => ({
  status: 'refunded',
  chainId: 31337,
  txHash,
  amount: toBaseUnits(99_000_000n),
  reason: 'the deposit was not filled',
});
