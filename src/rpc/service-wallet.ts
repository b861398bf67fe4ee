import { type Address, type Hex, keccak256, parseTransaction } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { Logger } from 'pino';
import type {
  SendingPurpose,
  ServiceTransactionStore,
  SignedTransaction,
  StoredTransaction,
} from '../persistence/service-transaction-store';
import { broadcast } from './broadcast';
import { affordableGas, type GasAllowance, type GasCostDeps, readGasCost } from './service-gas';
import { isExecutionFailure } from './rpc-failure';
import type { Rpc } from './rpc';
import { requestReceipt } from './search-logs';
import { replacementTerms, feesOf, maxCost, type TransactionTerms } from './transaction-terms';

/** A call that the service sends. */
export interface ServiceCall {
  readonly chainId: number;
  readonly to: string;
  readonly data: Hex;
  /** Native coin sent along, in wei. */
  readonly value: bigint;
}

/** A call to send, and what it is sent for. */
export interface SendRequest extends GasAllowance {
  readonly customerId: string;
  readonly actionId: string;
  /** One transaction is sent for each purpose of an action. */
  readonly purpose: string;
  readonly call: ServiceCall;
  /**
   * For calls that move money which the service holds for others: confirmations that a reverted transaction needs before
   * another one is sent for the same purpose. If the chain has no receipt of a transaction, no other one is sent.
   */
  readonly confirmations?: number | undefined;
  /** Maximum number of transactions for the purpose, one after another; three by default. */
  readonly maxAttempts?: number | undefined;
  /**
   * For calls that the customer can send instead: the maximum cost of the gas in millionths of a US dollar. It also counts
   * against the budget of the customer. Other calls move money that the service holds, and are sent at any cost.
   */
  readonly maxGasMicroUsd?: bigint | undefined;
  /** True when the coin that is sent along pays for gas of the recipient: it counts as cost of gas as well. */
  readonly givesGas?: boolean | undefined;
  /** For calls that are less urgent than others: nothing is sent while this many transactions of the wallet are pending. */
  readonly maxPending?: number | undefined;
  readonly signal: AbortSignal;
}

/** A request without its call: identifies the transactions of one purpose. */
export interface SentTransactionsQuery extends Omit<
  SendRequest,
  'call' | 'maxAttempts' | 'maxPending' | 'givesGas' | keyof GasAllowance
> {
  readonly chainId: number;
}

/**
 * Transactions sent for a purpose.
 *
 * - `call`: the call that is pending, or was mined without a revert.
 * - `attempts` alone: no transaction is pending; this many were sent and reverted.
 */
export interface SentForPurpose {
  readonly attempts: number;
  readonly call: (Pick<ServiceCall, 'to' | 'data'> & { readonly txHash: Hex }) | undefined;
}

/**
 * Result of a request to send a call.
 *
 * - `txHash`: a transaction is pending or mined. Its hash changes when it is replaced by one with a higher fee.
 * - `unfunded`: the wallet has too little of the chain's coin. Nothing was sent.
 * - `refused`: the call would revert now, or has reverted repeatedly. Nothing was sent.
 * - `unaffordable`: the gas of the call costs more than its maximum. Nothing was sent.
 * - `exhausted`: the gas exceeds the budget of the customer. Nothing was sent.
 * - `unpriced`: the gas of a completion has no price at the moment. Nothing was sent.
 * - `busy`: `maxPending` transactions are pending. Nothing was sent.
 */
export type ServiceSending =
  { readonly txHash: Hex } | 'unfunded' | 'refused' | 'unaffordable' | 'exhausted' | 'unpriced' | 'busy';

/** The wallet that the service itself sends transactions from. */
export interface ServiceWallet {
  readonly address: Address;
  /**
   * Sends a call once. A later request for the same purpose, on any replica, continues with the stored transaction. The call
   * is repeated only after its transaction was mined and reverted, by the second request after that. The transaction is
   * stored before it is sent.
   *
   * @throws PROVIDER_UNAVAILABLE when the chain is unavailable; the stored transaction is sent by the next request.
   */
  send(request: SendRequest): Promise<ServiceSending>;
  /**
   * The transactions sent for a purpose by any replica; pending transactions are sent again. A purpose may have several
   * candidate calls, but only one takes effect: the result contains it.
   *
   * @throws PROVIDER_UNAVAILABLE when the chain is unavailable
   */
  sentFor(query: SentTransactionsQuery): Promise<SentForPurpose>;
}

export interface ServiceWalletDeps extends Pick<GasCostDeps, 'priceGas'> {
  readonly key: Hex;
  readonly rpc: Rpc;
  readonly store: ServiceTransactionStore;
  readonly log: Pick<Logger, 'warn'>;
  /** Time that a transaction may be pending before one with a higher fee replaces it. */
  readonly replaceAfterMs?: number;
}

const REPLACE_AFTER_MS = 90_000;
const MAX_ATTEMPTS = 3;
/** More gas than any completing call needs: a call above it is not what it claims to be. */
const MAX_GAS = 3_000_000n;

interface Wallet extends Required<Omit<ServiceWalletDeps, 'key'>> {
  readonly account: PrivateKeyAccount;
}

export function createServiceWallet({ key, ...deps }: ServiceWalletDeps): ServiceWallet {
  const account = privateKeyToAccount(key);
  const wallet: Wallet = { replaceAfterMs: REPLACE_AFTER_MS, ...deps, account };
  return {
    address: account.address,
    send: (request) => send(wallet, request),
    sentFor: (query) => sentFor(wallet, query),
  };
}

async function send(wallet: Wallet, request: SendRequest): Promise<ServiceSending> {
  const { call, maxAttempts = MAX_ATTEMPTS } = request;
  const { chainId } = call;
  const { own, count, attempts, waiting, current } = await readSending(wallet, { ...request, chainId });
  if (current !== undefined) return hashOf(current);
  if (attempts >= maxAttempts) return 'refused';
  if (waiting.length >= (request.maxPending ?? Infinity)) return 'busy';
  const terms = await termsOf(wallet, call, waiting);
  if (typeof terms === 'string') return terms;
  const given = request.givesGas === true ? call.value : 0n;
  const gas = affordableGas(request, await readGasCost(wallet, chainId, { ...terms, given }));
  if (typeof gas === 'string') return gas;
  request.signal.throwIfAborted();
  const written = await wallet.store.allocate({ ...own, from: count, attemptsRead: attempts, gas }, (nonce) =>
    sign(wallet, { ...terms, chainId, nonce }),
  );
  if (written === undefined) return 'exhausted';
  await broadcast(wallet, chainId, written);
  return hashOf(written);
}

const hashOf = ({ txHash }: SignedTransaction): { readonly txHash: Hex } => ({ txHash: txHash as Hex });

async function sentFor(wallet: Wallet, query: SentTransactionsQuery): Promise<SentForPurpose> {
  const { attempts, current } = await readSending(wallet, query);
  if (current === undefined) return { attempts, call: undefined };
  const { to = '', data = '0x' } = parseTransaction(current.raw as Hex);
  return { attempts, call: { ...hashOf(current), to: to ?? '', data } };
}

/** State of the transactions of a purpose. `current` is the effective one: pending, or mined without a revert. */
async function readSending(wallet: Wallet, query: SentTransactionsQuery) {
  const { customerId, actionId, purpose, chainId, confirmations, signal } = query;
  const own = { customerId, actionId, purpose, chainId, sender: wallet.account.address };
  const count = BigInt(
    await wallet.rpc.request(chainId, (client) =>
      client.getTransactionCount({ address: own.sender, blockTag: 'latest' }),
    ),
  );
  const attempts = await wallet.store.attempts(own);
  const waiting = await resendPending(wallet, own, count);
  signal.throwIfAborted();
  const last = attempts.at(-1);
  const seen = { own, count, attempts: attempts.length, waiting };
  if (last === undefined) return { ...seen, current: undefined };
  if (last.nonce >= count) return { ...seen, current: waiting.find(({ id }) => id === last.id) ?? last };
  return { ...seen, current: await minedTransaction(wallet, last, { chainId, confirmations }) };
}

/** Pending transactions sent again per request. Later nonces depend on these. */
const MAX_RESENT = 10;

/**
 * Sends the first pending transactions again, since a crash may have prevented the first broadcast and later nonces depend
 * on them. A transaction that is pending for too long is replaced by one with a higher fee.
 *
 * Returns all pending transactions.
 */
async function resendPending(
  wallet: Wallet,
  own: SendingPurpose,
  count: bigint,
): Promise<readonly StoredTransaction[]> {
  const { chainId } = own;
  const all = await wallet.store.from(own, count);
  const waiting: StoredTransaction[] = [];
  for (const written of all.slice(0, MAX_RESENT)) {
    const current = written.ageMs > wallet.replaceAfterMs ? await replace(wallet, chainId, written) : written;
    await broadcast(wallet, chainId, current);
    waiting.push(current);
  }
  return [...waiting, ...all.slice(MAX_RESENT)];
}

/** Replaces a transaction by the same call with the same nonce and a higher fee. */
async function replace(wallet: Wallet, chainId: number, written: StoredTransaction): Promise<StoredTransaction> {
  const terms = replacementTerms(written.raw as Hex, await wallet.rpc.feeData(chainId));
  if (terms === undefined) return written;
  const signed = await sign(wallet, { ...terms, chainId, nonce: written.nonce });
  const cost = await readGasCost(wallet, chainId, terms);
  if (!(await wallet.store.replace(written, { ...signed, cost }))) return written;
  return { ...written, ...signed, replaced: [written.raw, ...written.replaced], ageMs: 0 };
}

/**
 * The transaction that used its nonce, or the replacement that was mined. `undefined` when the call may be sent again: it
 * was mined and reverted, or another transaction used its nonce. The first request that observes this still gets the
 * transaction, so that its caller can check whether the call is still needed.
 */
async function minedTransaction(
  wallet: Wallet,
  last: StoredTransaction,
  { chainId, confirmations }: Pick<SentTransactionsQuery, 'chainId' | 'confirmations'>,
): Promise<SignedTransaction | undefined> {
  const receipt = await receiptOf(wallet, chainId, last);
  if (receipt?.status === 'success') return receipt;
  if (!last.mined) await wallet.store.markMined(last.id);
  if (confirmations === undefined) return last.mined ? undefined : (receipt ?? last);
  if (receipt === undefined) {
    const { txHash } = last;
    wallet.log.warn({ chainId, txHash }, 'a transaction of the service has lost its nonce to an unknown transaction');
    return last;
  }
  const head = await wallet.rpc.blockNumber(chainId);
  return head >= receipt.blockNumber + BigInt(confirmations) ? undefined : receipt;
}

/** The receipt of a transaction, or of the mined one among those that it replaced. */
async function receiptOf({ rpc }: Wallet, chainId: number, { raw, replaced }: StoredTransaction) {
  for (const signed of [raw, ...replaced] as Hex[]) {
    const txHash = keccak256(signed);
    const receipt = await requestReceipt(rpc, { chainId, txHash });
    if (receipt !== undefined) return { txHash, raw: signed, status: receipt.status, blockNumber: receipt.blockNumber };
  }
  return undefined;
}

/** Gas and fees of a call, when the wallet can pay for them and for all pending transactions. */
async function termsOf(
  { rpc, account }: Wallet,
  call: ServiceCall,
  waiting: readonly StoredTransaction[],
): Promise<TransactionTerms | 'unfunded' | 'refused'> {
  const { chainId, data, value } = call;
  const { address } = account;
  const balance = await rpc.request(chainId, (client) => client.getBalance({ address }));
  if (balance <= value) return 'unfunded';
  const gas = await rpc.request(chainId, async (client) => {
    try {
      return await client.estimateGas({ account: address, to: call.to as Address, data, value });
    } catch (error) {
      if (isExecutionFailure(error)) return undefined;
      throw error;
    }
  });
  if (gas === undefined || gas > MAX_GAS) return 'refused';
  const fees = await rpc.feeData(chainId);
  const limit = (gas * 13n) / 10n;
  const owed = waiting.reduce((sum, { raw }) => sum + maxCost(raw as Hex), 0n);
  // With a margin of 50 %: roll-ups also charge for the data.
  if (balance < owed + value + (limit * fees.maxFeePerGas * 3n) / 2n) return 'unfunded';
  return { to: call.to, data, value, gas: limit, fees: feesOf(fees) };
}

async function sign(
  { account }: Wallet,
  { to, nonce, fees, ...rest }: TransactionTerms & { readonly chainId: number; readonly nonce: bigint },
): Promise<SignedTransaction> {
  const transaction = { ...rest, to: to as Address, nonce: Number.parseInt(nonce.toString(), 10) };
  const raw =
    'gasPrice' in fees
      ? await account.signTransaction({ type: 'legacy', ...transaction, ...fees })
      : await account.signTransaction({ type: 'eip1559', ...transaction, ...fees });
  return { raw, txHash: keccak256(raw) };
}
