import { type Address, type Hex, keccak256, TransactionReceiptNotFoundError } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { Logger } from 'pino';
import type {
  SendingPurpose,
  ServiceTransactionStore,
  SignedTransaction,
  WrittenTransaction,
} from '../persistence/service-transaction-store';
import { broadcast } from './broadcast';
import { isExecutionFailure } from './rpc-failure';
import type { Rpc } from './rpc';
import { dearerTerms, feesOf, mostCost, type TransactionTerms } from './transaction-terms';

/** A call that the service is to send. */
export interface ServiceCall {
  readonly chainId: number;
  readonly to: string;
  readonly data: Hex;
  /** Native coin sent along, in wei. */
  readonly value: bigint;
}

export interface ServiceOrder {
  readonly customerId: string;
  readonly actionId: string;
  /** One transaction is sent for each purpose of an action. */
  readonly purpose: string;
  readonly call: ServiceCall;
  readonly signal: AbortSignal;
}

/**
 * What became of an order.
 *
 * - `txHash`: a transaction is on its way, or mined. One that is replaced by a dearer one changes its hash.
 * - `unfunded`: the wallet has not enough of the chain's coin. Nothing was sent.
 * - `refused`: the call would revert now, or did so repeatedly. Nothing was sent.
 */
export type ServiceSending = { readonly txHash: Hex } | 'unfunded' | 'refused';

/** The wallet that the service itself sends transactions from. */
export interface ServiceWallet {
  readonly address: Address;
  /**
   * Sends a call, once: asked again for the same purpose it carries on with what was sent, by whatever replica, and
   * repeats it only after it was mined and reverted, at the second time of asking. The transaction is written down
   * before it leaves.
   *
   * @throws PROVIDER_UNAVAILABLE when the chain could not be asked; what was written down is sent at the next time.
   */
  send(order: ServiceOrder): Promise<ServiceSending>;
}

export interface ServiceWalletDeps {
  readonly key: Hex;
  readonly rpc: Rpc;
  readonly store: ServiceTransactionStore;
  readonly log: Pick<Logger, 'warn'>;
  /** How long a transaction may wait before it is replaced by one that pays more. */
  readonly replaceAfterMs?: number;
}

const REPLACE_AFTER_MS = 90_000;
/** Times that one purpose is tried. */
const MOST_ATTEMPTS = 3;
/** More gas than any completing call takes: what wants more is not what it says. */
const MOST_GAS = 3_000_000n;

interface Wallet extends Required<Omit<ServiceWalletDeps, 'key'>> {
  readonly account: PrivateKeyAccount;
}

export function createServiceWallet({ key, ...deps }: ServiceWalletDeps): ServiceWallet {
  const account = privateKeyToAccount(key);
  const wallet: Wallet = { replaceAfterMs: REPLACE_AFTER_MS, ...deps, account };
  return { address: account.address, send: (order) => send(wallet, order) };
}

async function send(wallet: Wallet, order: ServiceOrder): Promise<ServiceSending> {
  const { customerId, actionId, purpose, call } = order;
  const { chainId } = call;
  const own = { customerId, actionId, purpose, chainId, sender: wallet.account.address };
  const count = BigInt(
    await wallet.rpc.ask(chainId, (client) => client.getTransactionCount({ address: own.sender, blockTag: 'latest' })),
  );
  const attempts = await wallet.store.attempts(own);
  const waiting = await carryOn(wallet, own, count);
  order.signal.throwIfAborted();
  const last = attempts.at(-1);
  if (last !== undefined) {
    if (last.nonce >= count) return hashOf(waiting.find(({ id }) => id === last.id) ?? last);
    if (!(await mayRepeat(wallet, chainId, last))) return hashOf(last);
    if (attempts.length >= MOST_ATTEMPTS) return 'refused';
  }
  const terms = await termsOf(wallet, call, waiting);
  if (typeof terms === 'string') return terms;
  order.signal.throwIfAborted();
  const written = await wallet.store.allocate({ ...own, from: count, known: attempts.length }, (nonce) =>
    sign(wallet, { ...terms, chainId, nonce }),
  );
  await broadcast(wallet, chainId, written);
  return hashOf(written);
}

const hashOf = ({ txHash }: SignedTransaction): { readonly txHash: Hex } => ({ txHash: txHash as Hex });

/** Transactions that are sent again at once: those behind them wait for these, and each order sends them all. */
const SENT_AGAIN = 10;

/**
 * Sends again what waits for its block, the first in line: a crash may have come before it left, and what stands behind
 * it waits for it. One that waits for too long gets a dearer replacement.
 *
 * Returns everything that waits.
 */
async function carryOn(wallet: Wallet, own: SendingPurpose, count: bigint): Promise<readonly WrittenTransaction[]> {
  const { chainId } = own;
  const all = await wallet.store.from(own, count);
  const waiting: WrittenTransaction[] = [];
  for (const written of all.slice(0, SENT_AGAIN)) {
    const current = written.ageMs > wallet.replaceAfterMs ? await replace(wallet, chainId, written) : written;
    await broadcast(wallet, chainId, current);
    waiting.push(current);
  }
  return [...waiting, ...all.slice(SENT_AGAIN)];
}

/** The same call at the same nonce for a higher fee. */
async function replace(wallet: Wallet, chainId: number, written: WrittenTransaction): Promise<WrittenTransaction> {
  const terms = dearerTerms(written.raw as Hex, await wallet.rpc.feeData(chainId));
  if (terms === undefined) return written;
  const signed = await sign(wallet, { ...terms, chainId, nonce: written.nonce });
  return (await wallet.store.replace(written, signed)) ? { ...written, ...signed, ageMs: 0 } : written;
}

/**
 * True when the call has to be sent anew: it was mined, and reverted or gave its nonce to another. Not at the first
 * sight of that: whoever asks looks first whether the call is still wanted.
 */
async function mayRepeat(wallet: Wallet, chainId: number, last: WrittenTransaction): Promise<boolean> {
  const succeeded = await wallet.rpc.ask(chainId, async (client) => {
    try {
      return (await client.getTransactionReceipt({ hash: last.txHash as Hex })).status === 'success';
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return false;
      throw error;
    }
  });
  if (!last.mined) await wallet.store.markMined(last.id);
  return !succeeded && last.mined;
}

/** Gas and fees of a call, when the wallet can pay for them beside what waits already. */
async function termsOf(
  { rpc, account }: Wallet,
  call: ServiceCall,
  waiting: readonly WrittenTransaction[],
): Promise<TransactionTerms | 'unfunded' | 'refused'> {
  const { chainId, data, value } = call;
  const { address } = account;
  const balance = await rpc.ask(chainId, (client) => client.getBalance({ address }));
  if (balance <= value) return 'unfunded';
  const gas = await rpc.ask(chainId, async (client) => {
    try {
      return await client.estimateGas({ account: address, to: call.to as Address, data, value });
    } catch (error) {
      if (isExecutionFailure(error)) return undefined;
      throw error;
    }
  });
  if (gas === undefined || gas > MOST_GAS) return 'refused';
  const fees = await rpc.feeData(chainId);
  const limit = (gas * 13n) / 10n;
  const owed = waiting.reduce((sum, { raw }) => sum + mostCost(raw as Hex), 0n);
  // Half as much again: roll-ups charge for the data as well.
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
