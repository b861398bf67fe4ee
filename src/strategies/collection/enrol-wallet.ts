import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem';
import { type Actor, recordAudit } from '../../auth/audit-log';
import { assertNotBlocked } from '../../auth/sanctions';
import { evmAddressProblem, isSameAddress, parseEvmAddress } from '../../chains/addresses';
import type { CustomerId } from '../../auth/principal';
import { createFieldReader } from '../../errors/field-reader';
import { serviceError } from '../../errors/service-error';
import { validationError } from '../../errors/validation';
import { type CallItem, callItem } from '../../transactions/execution/transaction-item';
import { findCustomerStrategy } from '../fees/customer-strategies';
import { profitBpsOf } from '../strategy-fees';
import { enrolCall, entryKey, leaveCall, recordCall, type RegistryCall } from './registry-contract';
import { lockCollection } from './request-registry-write';
import type { SetCollectionDeps } from './set-recurring-collection';

export interface EnrolmentRequest {
  readonly customerId: CustomerId;
  /** The user of the dashboard; `undefined` for an API key. */
  readonly actor: Actor | undefined;
  /** Id, slug or alias. */
  readonly strategyId: string;
  readonly wallet: string;
}

/** A wallet that agrees to the collection, and what it has to send. */
export interface WalletEnrolment {
  readonly strategyId: string;
  readonly wallet: string;
  /** The most that is taken of its profit, in basis points: what it signs. */
  readonly maxBps: number;
  /** True when the registry has its consent already. */
  readonly isEnrolledOnChain: boolean;
  /** Calls of the wallet, in their order: the allowance of its shares, and its consent. */
  readonly transactions: readonly CallItem[];
  /** Call of the wallet after each later deposit, withdrawal and transfer: new shares are charged from then on. */
  readonly record: CallItem;
  /** Call of the wallet that ends its consent. */
  readonly leave: CallItem;
}

/** Wallets of one collection: each run has an item for each of them. */
const MAX_WALLETS = 10_000;
const TOO_MANY = {
  path: 'wallet',
  message: `cannot be enrolled: the collection has ${String(MAX_WALLETS)} wallets, the maximum`,
};

/**
 * Enrols a wallet in the collection of fees on profit. Nothing is taken until the wallet has sent the calls: an allowance of the
 * shares that it holds, and its consent to the current fees.
 *
 * @throws VALIDATION_ERROR, STRATEGY_NOT_FOUND, CUSTOMER_STRATEGY_NOT_FOUND, RECURRING_REGISTRY_CONTROLLER_NOT_CONFIGURED,
 * RECURRING_REGISTRY_MISMATCH before the first entry is on chain, FORBIDDEN for a blocked wallet, PROVIDER_UNAVAILABLE
 */
export async function enrolWallet(
  deps: SetCollectionDeps,
  { customerId, actor, strategyId: name, wallet: given }: EnrolmentRequest,
): Promise<WalletEnrolment> {
  const reader = createFieldReader({ wallet: given });
  const wallet = reader.parsed('wallet', parseEvmAddress, evmAddressProblem);
  if (wallet === undefined && reader.issues.length === 0) reader.addIssue('wallet', 'is required');
  if (wallet === undefined) throw validationError(reader.issues);
  assertNotBlocked(deps.blockedAddresses, [wallet]);
  await deps.strategies.ready();
  const strategy = deps.strategies.get(name);
  const { strategyId } = await findCustomerStrategy(deps, { customerId, strategyId: name });
  const key = { customerId, strategyId };
  const collection = await deps.database.recurringCollection.findUnique({ where: { customerId_strategyId: key } });
  if (collection === null) throw serviceError('CUSTOMER_STRATEGY_NOT_FOUND', { strategyId: name.slice(0, 128) });
  const registry = deps.registry.addressOn(strategy.chain);
  const vault = strategy.row.market;
  if (collection.registryVersion === 0n || !isSameAddress(collection.vault, vault))
    throw serviceError('RECURRING_REGISTRY_MISMATCH');
  const place = { chain: strategy.chain, registry, customerId, strategyId };
  const { balance, isEnrolled } = await deps.registry.readWallet(place, { vault, wallet });
  if (balance === 0n) throw validationError([{ path: 'wallet', message: 'must hold shares of the strategy' }]);
  await deps.database.$transaction(async (tx) => {
    await lockCollection(tx, key);
    const { count } = await tx.collectionEnrolment.createMany({ data: { ...key, wallet }, skipDuplicates: true });
    if (count === 0) return;
    if ((await tx.collectionEnrolment.count({ where: key })) > MAX_WALLETS) throw validationError([TOO_MANY]);
    const change = { operation: 'enrolWallet', targetType: 'wallet' as const, targetId: wallet };
    await recordAudit(tx, actor, { ...change, detail: { strategyId } });
  });
  const maxBps = profitBpsOf(collection);
  const calls = walletCalls({ registry, key: entryKey(customerId, strategyId), vault, balance, maxBps });
  const itemOf = (call: RegistryCall) =>
    callItem({ chainId: strategy.chain.chainId, from: wallet, value: 0n, ...call });
  return {
    strategyId,
    wallet,
    maxBps,
    isEnrolledOnChain: isEnrolled,
    transactions: calls.enrol.map(itemOf),
    record: itemOf(calls.record),
    leave: itemOf(calls.leave),
  };
}

interface Consent {
  readonly registry: Address;
  readonly key: Hex;
  readonly vault: Address;
  readonly balance: bigint;
  readonly maxBps: number;
}

function walletCalls({ registry, key, vault, balance, maxBps }: Consent) {
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [registry, balance] });
  return {
    enrol: [{ to: vault, data: approve }, enrolCall(registry, { key, maxBps })],
    record: recordCall(registry, key),
    leave: leaveCall(registry, key),
  };
}
