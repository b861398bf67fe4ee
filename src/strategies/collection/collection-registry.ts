import { type Address, erc20Abi, type Hex } from 'viem';
import { isSameAddress } from '../../chains/addresses';
import type { Chain } from '../../chains/chain';
import { serviceError } from '../../errors/service-error';
import { maxBigInt, minBigInt } from '../../money/min-max';
import type { MicroUsd } from '../../money/usd';
import { contractRead } from '../../rpc/contract-read';
import type { Rpc } from '../../rpc/rpc';
import { requestReceipt } from '../../rpc/search-logs';
import type { ServiceCall, ServiceSending, ServiceWallet } from '../../rpc/service-wallet';
import {
  collectableRead,
  collectCall,
  type CollectedEvent,
  collectedEvents,
  controllerRead,
  entryKey,
  entryRead,
  lastPeriodRead,
  markRead,
  type RegistryEntry,
  setEntryCall,
} from './registry-contract';

export interface CollectionRegistryDeps {
  readonly rpc: Rpc;
  /** The controller of the registries; `undefined` without a key. */
  readonly serviceWallet: Pick<ServiceWallet, 'send' | 'address'> | undefined;
  /** Maximum cost of the gas of one transaction, in millionths of a US dollar. */
  readonly maxGasUsd: MicroUsd;
}

/** The entry of a customer's strategy in the registry of a chain. */
export interface RegistryPlace {
  readonly chain: Chain;
  readonly registry: Address;
  readonly customerId: string;
  /** Id under which the fees are stored, in lower case. */
  readonly strategyId: string;
}

/** A transaction, under the id of the row that was stored before. */
interface Sending<Sent> {
  readonly id: string;
  readonly sent: Sent;
  readonly signal: AbortSignal;
}

/** A transaction of the registry: not mined, reverted, or executed. `isFinal`: no reorganization can change it. */
export type MinedState =
  | { readonly kind: 'pending' }
  | { readonly kind: 'reverted'; readonly isFinal: boolean }
  | {
      readonly kind: 'executed';
      readonly isFinal: boolean;
      readonly blockNumber: bigint;
      readonly collected: readonly CollectedEvent[];
    };

/**
 * The registries on chain that collect fees on profit, with the service's wallet as their controller.
 *
 * Every function throws PROVIDER_UNAVAILABLE when the chain does not respond.
 */
export interface CollectionRegistry {
  /** @throws RECURRING_REGISTRY_CONTROLLER_NOT_CONFIGURED for a chain without a registry, or without the controller's key */
  addressOn(chain: Chain): Address;
  /** @throws RECURRING_REGISTRY_CONTROLLER_NOT_CONFIGURED for a registry with another controller */
  readEntry(place: RegistryPlace): Promise<RegistryEntry>;
  /** Shares that may be collected from each wallet now, in one multicall; 0 where that is unknown. */
  readCollectables(place: RegistryPlace, wallets: readonly Address[]): Promise<readonly bigint[]>;
  /** Shares of a vault that a wallet holds, and whether it has agreed. */
  readWallet(
    place: RegistryPlace,
    owned: { readonly vault: Address; readonly wallet: Address },
  ): Promise<{ readonly balance: bigint; readonly isEnrolled: boolean }>;
  /** The last period that was collected from a wallet; 0 for none. */
  readLastPeriod(place: RegistryPlace, wallet: Address): Promise<bigint>;
  /** Replaces an entry. Stored before it is sent, and sent once for each id. */
  sendEntry(
    place: RegistryPlace,
    sending: Sending<{ readonly entry: Omit<RegistryEntry, 'version'>; readonly expectedVersion: bigint }>,
  ): Promise<ServiceSending>;
  /** Collects shares of a wallet. Stored before it is sent, and sent once for each id. */
  sendCollection(
    place: RegistryPlace,
    sending: Sending<{ readonly wallet: Address; readonly periodId: bigint; readonly shares: bigint }>,
  ): Promise<ServiceSending>;
  readTransaction(place: Pick<RegistryPlace, 'chain' | 'registry'>, txHash: string): Promise<MinedState>;
}

export const createCollectionRegistry = (deps: CollectionRegistryDeps): CollectionRegistry => ({
  addressOn(chain) {
    if (chain.collectionRegistry === undefined || deps.serviceWallet === undefined || !deps.rpc.serves(chain.chainId))
      throw serviceError('RECURRING_REGISTRY_CONTROLLER_NOT_CONFIGURED', { network: chain.slug });
    return chain.collectionRegistry;
  },
  async readEntry(place) {
    const { chain, registry } = place;
    const reads = [entryRead(registry, keyOf(place)), controllerRead(registry)] as const;
    const [entry, controller] = await deps.rpc.multicall(chain.chainId, reads);
    if (entry === undefined || controller === undefined)
      throw serviceError('PROVIDER_UNAVAILABLE', { provider: chain.slug, reason: NO_ENTRY });
    if (!isSameAddress(controller, deps.serviceWallet?.address))
      throw serviceError('RECURRING_REGISTRY_CONTROLLER_NOT_CONFIGURED', { network: chain.slug });
    return entry;
  },
  async readCollectables(place, wallets) {
    const reads = wallets.map((wallet) => collectableRead(place.registry, keyOf(place), wallet));
    const values = await deps.rpc.multicall(place.chain.chainId, reads);
    return values.map((value) => value ?? 0n);
  },
  async readWallet(place, { vault, wallet }) {
    const balanceRead = contractRead({ address: vault, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] });
    const reads = [balanceRead, markRead(place.registry, keyOf(place), wallet)] as const;
    const [balance, mark] = await deps.rpc.multicall(place.chain.chainId, reads);
    return { balance: balance ?? 0n, isEnrolled: (mark?.markRay ?? 0n) > 0n };
  },
  async readLastPeriod(place, wallet) {
    const reads = [lastPeriodRead(place.registry, keyOf(place), wallet)] as const;
    const [period] = await deps.rpc.multicall(place.chain.chainId, reads);
    if (period === undefined)
      throw serviceError('PROVIDER_UNAVAILABLE', { provider: place.chain.slug, reason: NO_PERIOD });
    return period;
  },
  sendEntry(place, { sent, ...sending }) {
    return send(deps, place, { ...sending, call: setEntryCall(place.registry, { key: keyOf(place), ...sent }) });
  },
  sendCollection(place, { sent, ...sending }) {
    return send(deps, place, { ...sending, call: collectCall(place.registry, { key: keyOf(place), ...sent }) });
  },
  readTransaction: (place, txHash) => readTransaction(deps, place, txHash),
});

const NO_ENTRY = 'the registry returned no entry';
const NO_PERIOD = 'the registry returned no period';

const keyOf = ({ customerId, strategyId }: RegistryPlace): Hex => entryKey(customerId, strategyId);

/** One transaction for each id: a reverted one is not repeated, and counts once it is final. */
function send(
  { serviceWallet, maxGasUsd }: CollectionRegistryDeps,
  { chain, customerId }: RegistryPlace,
  {
    id,
    call,
    signal,
  }: { readonly id: string; readonly call: Pick<ServiceCall, 'to' | 'data'>; readonly signal: AbortSignal },
): Promise<ServiceSending> {
  if (serviceWallet === undefined)
    throw serviceError('RECURRING_REGISTRY_CONTROLLER_NOT_CONFIGURED', { network: chain.slug });
  return serviceWallet.send({
    customerId,
    actionId: id,
    purpose: 'collection',
    call: { chainId: chain.chainId, ...call, value: 0n },
    confirmations: chain.confirmations,
    repeatsLost: true,
    maxAttempts: 1,
    maxGasMicroUsd: maxGasUsd,
    maxPending: MAX_PENDING,
    signal,
  });
}

/** Collections wait while this many transactions of the wallet are pending. */
const MAX_PENDING = 16;

async function readTransaction(
  { rpc }: CollectionRegistryDeps,
  { chain, registry }: Pick<RegistryPlace, 'chain' | 'registry'>,
  txHash: string,
): Promise<MinedState> {
  const { chainId, confirmations } = chain;
  const receipt = await requestReceipt(rpc, { chainId, txHash });
  if (receipt === undefined) return { kind: 'pending' };
  const head = await rpc.blockNumber(chainId);
  const isFinal = receipt.blockNumber <= maxBigInt(0n, head - BigInt(confirmations));
  if (receipt.status === 'reverted') return { kind: 'reverted', isFinal };
  const collected = collectedEvents(registry, receipt.logs);
  return { kind: 'executed', isFinal, blockNumber: receipt.blockNumber, collected };
}

/** True for entries with the same effect, whatever their versions. */
export const isSameEntry = (one: Omit<RegistryEntry, 'version'>, other: Omit<RegistryEntry, 'version'>): boolean =>
  isSameAddress(one.vault, other.vault) &&
  isSameAddress(one.performanceCollector, other.performanceCollector) &&
  isSameAddress(one.markupRecipient, other.markupRecipient) &&
  one.performanceBps === other.performanceBps &&
  one.markupBps === other.markupBps &&
  one.live === other.live;

/** Shares that a collection takes: no more than the registry allows, and than a withdrawal of everything would cost. */
export function sharesToCollect(
  collectable: bigint,
  { shares, value, fee }: { readonly shares: bigint; readonly value: bigint; readonly fee: bigint },
): bigint {
  return value === 0n ? 0n : minBigInt(collectable, (fee * shares) / value);
}
