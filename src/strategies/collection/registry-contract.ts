import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  keccak256,
  type Log,
  parseAbi,
  parseEventLogs,
} from 'viem';
import { contractRead, type ContractRead } from '../../rpc/contract-read';

/** Interface of `CollectionRegistry`. Prices are assets per share in base units, as a ray. */
export const COLLECTION_REGISTRY_ABI = parseAbi([
  'struct Entry { address vault; address performanceCollector; address markupRecipient; uint16 performanceBps; uint16 markupBps; bool live; uint64 version; }',
  'function controller() view returns (address)',
  'function paused() view returns (bool)',
  'function setEntry(bytes32 key, Entry entry, uint64 expectedVersion)',
  'function pause()',
  'function unpause()',
  'function enrol(bytes32 key, uint16 maxBps)',
  'function leave(bytes32 key)',
  'function record(bytes32 key)',
  'function collect(bytes32 key, address wallet, uint64 periodId, uint256 shares)',
  'function entryOf(bytes32 key) view returns (Entry)',
  'function markOf(bytes32 key, address wallet) view returns (uint256 markRay, uint256 shares, uint16 maxBps)',
  'function lastPeriodOf(bytes32 key, address wallet) view returns (uint64)',
  'function collectable(bytes32 key, address wallet) view returns (uint256 shares)',
  'event EntrySet(bytes32 indexed key, Entry entry)',
  'event Enrolled(bytes32 indexed key, address indexed wallet, uint256 markRay, uint256 shares, uint16 maxBps)',
  'event Recorded(bytes32 indexed key, address indexed wallet, uint256 markRay, uint256 shares)',
  'event Left(bytes32 indexed key, address indexed wallet)',
  'event Collected(bytes32 indexed key, address indexed wallet, uint64 indexed periodId, uint256 performanceShares, uint256 markupShares, uint256 markRay, uint256 priceRay)',
  'error NotController()',
  'error InvalidController()',
  'error VersionMismatch(uint64 current)',
  'error InvalidVault()',
  'error VaultFixed()',
  'error InvalidBps()',
  'error InvalidRecipient()',
  'error UnknownKey()',
  'error NotLive()',
  'error NotEnrolled()',
  'error ZeroPrice()',
  'error PeriodCollected(uint64 lastPeriodId)',
  'error NothingToCollect()',
  'error TooManyShares(uint256 collectable)',
  'error EnforcedPause()',
  'error ExpectedPause()',
  'error ReentrancyGuardReentrantCall()',
  'error SafeERC20FailedOperation(address token)',
]);

/** Key of a customer's strategy: the id of the strategy counts in lower case, that of the customer as it is. */
export const entryKey = (customerId: string, strategyId: string): Hex =>
  keccak256(encodeAbiParameters([{ type: 'string' }, { type: 'string' }], [customerId, strategyId.toLowerCase()]));

/** What a registry has for a key. A key without an entry has version 0 and zero addresses. */
export interface RegistryEntry {
  readonly vault: Address;
  readonly performanceCollector: Address;
  readonly markupRecipient: Address;
  readonly performanceBps: number;
  readonly markupBps: number;
  readonly live: boolean;
  readonly version: bigint;
}

export interface RegistryCall {
  readonly to: Address;
  readonly data: Hex;
}

/** Replaces an entry; the registry refuses another version than the expected one, and adds one to it. Controller only. */
export function setEntryCall(
  registry: Address,
  params: {
    readonly key: Hex;
    readonly entry: Omit<RegistryEntry, 'version'>;
    readonly expectedVersion: bigint;
  },
): RegistryCall {
  const { key, entry, expectedVersion } = params;
  const args = [key, { ...entry, version: expectedVersion }, expectedVersion] as const;
  const data = encodeFunctionData({ abi: COLLECTION_REGISTRY_ABI, functionName: 'setEntry', args });
  return { to: registry, data };
}

/** Takes shares of a wallet for a period, whose ids grow from 1 on. Controller only. */
export function collectCall(
  registry: Address,
  params: { readonly key: Hex; readonly wallet: Address; readonly periodId: bigint; readonly shares: bigint },
): RegistryCall {
  const { key, wallet, periodId, shares } = params;
  const args = [key, wallet, periodId, shares] as const;
  const data = encodeFunctionData({ abi: COLLECTION_REGISTRY_ABI, functionName: 'collect', args });
  return { to: registry, data };
}

export const entryRead = (registry: Address, key: Hex): ContractRead<RegistryEntry> =>
  contractRead({ address: registry, abi: COLLECTION_REGISTRY_ABI, functionName: 'entryOf', args: [key] });

/** The account that sets entries and collects. */
export const controllerRead = (registry: Address): ContractRead<Address> =>
  contractRead({ address: registry, abi: COLLECTION_REGISTRY_ABI, functionName: 'controller' });

/** The highest price whose profit is settled (0: not enrolled), the recorded shares, and the maximum that the wallet consents to. */
export interface WalletMark {
  readonly markRay: bigint;
  readonly shares: bigint;
  readonly maxBps: number;
}

export function markRead(registry: Address, key: Hex, wallet: Address): ContractRead<WalletMark> {
  const args = [key, wallet] as const;
  const read = contractRead({ address: registry, abi: COLLECTION_REGISTRY_ABI, functionName: 'markOf', args });
  const decode = (result: Hex): WalletMark => {
    const [markRay, shares, maxBps] = read.decode(result);
    return { markRay, shares, maxBps };
  };
  return { to: read.to, data: read.data, decode };
}

/** Shares of the vault that a collection may take from a wallet now. */
export const collectableRead = (registry: Address, key: Hex, wallet: Address): ContractRead<bigint> =>
  contractRead({
    address: registry,
    abi: COLLECTION_REGISTRY_ABI,
    functionName: 'collectable',
    args: [key, wallet],
  });

/** The last period that was collected from a wallet; 0 for none. */
export const lastPeriodRead = (registry: Address, key: Hex, wallet: Address): ContractRead<bigint> =>
  contractRead({
    address: registry,
    abi: COLLECTION_REGISTRY_ABI,
    functionName: 'lastPeriodOf',
    args: [key, wallet],
  });

/** Consents to collections of up to `maxBps` of the profit from now on. The wallet sends it. */
export const enrolCall = (registry: Address, params: { readonly key: Hex; readonly maxBps: number }): RegistryCall => ({
  to: registry,
  data: encodeFunctionData({
    abi: COLLECTION_REGISTRY_ABI,
    functionName: 'enrol',
    args: [params.key, params.maxBps],
  }),
});

/** Records the balance of the wallet after a deposit, a withdrawal or a transfer. The wallet sends it. */
export const recordCall = (registry: Address, key: Hex): RegistryCall => ({
  to: registry,
  data: encodeFunctionData({ abi: COLLECTION_REGISTRY_ABI, functionName: 'record', args: [key] }),
});

/** Withdraws the consent. The wallet sends it. */
export const leaveCall = (registry: Address, key: Hex): RegistryCall => ({
  to: registry,
  data: encodeFunctionData({ abi: COLLECTION_REGISTRY_ABI, functionName: 'leave', args: [key] }),
});

/** A collection that was executed. */
export interface CollectedEvent {
  readonly key: Hex;
  readonly wallet: Address;
  readonly periodId: bigint;
  readonly performanceShares: bigint;
  readonly markupShares: bigint;
  /** The wallet's mark from then on. */
  readonly markRay: bigint;
  /** Price of the vault; above the mark where only a part of the growth counted. */
  readonly priceRay: bigint;
}

/** The collections among logs; events of other contracts and malformed ones are left out. */
export const collectedEvents = (registry: Address, logs: readonly Log[]): readonly CollectedEvent[] =>
  parseEventLogs({
    abi: COLLECTION_REGISTRY_ABI,
    eventName: 'Collected',
    logs: logs.filter(({ address }) => isAddressEqual(address, registry)),
  }).map(({ args }) => args);
