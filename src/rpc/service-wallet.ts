import { type Address, type Hex, keccak256, parseTransaction } from 'viem';
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
import { requestReceipt } from './search-logs';
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
  /**
   * Of calls that move what the service holds for others: blocks that have to lie on top of one that reverted before
   * another is sent for the same purpose. One that the chain cannot tell of is not followed by another then.
   */
  readonly confirmations?: number | undefined;
  /** Transactions that are sent for the purpose at most, one after the other; three when not given. */
  readonly mostAttempts?: number | undefined;
  readonly signal: AbortSignal;
}

/** What is asked about: all of an order but the call. */
export interface SendingQuestion extends Omit<ServiceOrder, 'call' | 'mostAttempts'> {
  readonly chainId: number;
}

/**
 * What was sent for a purpose.
 *
 * - `call`: it is on its way, or mined and did not revert, as far as can be known.
 * - `attempts` alone: nothing is on its way. So many were sent before, and reverted.
 */
export interface SentForPurpose {
  readonly attempts: number;
  readonly call: (Pick<ServiceCall, 'to' | 'data'> & { readonly txHash: Hex }) | undefined;
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
  /**
   * What was sent for a purpose, by whatever replica; what waits is sent again. One purpose may be served by different
   * calls, of which one alone takes effect: this tells by which.
   *
   * @throws PROVIDER_UNAVAILABLE when the chain could not be asked
   */
  sentFor(question: SendingQuestion): Promise<SentForPurpose>;
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
  return {
    address: account.address,
    send: (order) => send(wallet, order),
    sentFor: (question) => sentFor(wallet, question),
  };
}

async function send(wallet: Wallet, order: ServiceOrder): Promise<ServiceSending> {
  const { call, mostAttempts = MOST_ATTEMPTS } = order;
  const { chainId } = call;
  const { own, count, attempts, waiting, current } = await lookAt(wallet, { ...order, chainId });
  if (current !== undefined) return hashOf(current);
  if (attempts >= mostAttempts) return 'refused';
  const terms = await termsOf(wallet, call, waiting);
  if (typeof terms === 'string') return terms;
  order.signal.throwIfAborted();
  const written = await wallet.store.allocate({ ...own, from: count, known: attempts }, (nonce) =>
    sign(wallet, { ...terms, chainId, nonce }),
  );
  await broadcast(wallet, chainId, written);
  return hashOf(written);
}

const hashOf = ({ txHash }: SignedTransaction): { readonly txHash: Hex } => ({ txHash: txHash as Hex });

async function sentFor(wallet: Wallet, question: SendingQuestion): Promise<SentForPurpose> {
  const { attempts, current } = await lookAt(wallet, question);
  if (current === undefined) return { attempts, call: undefined };
  const { to = '', data = '0x' } = parseTransaction(current.raw as Hex);
  return { attempts, call: { ...hashOf(current), to: to ?? '', data } };
}

/** Where the transactions for a purpose are. `current` is the one that counts: on its way, or mined and not reverted. */
async function lookAt(wallet: Wallet, question: SendingQuestion) {
  const { customerId, actionId, purpose, chainId, confirmations, signal } = question;
  const own = { customerId, actionId, purpose, chainId, sender: wallet.account.address };
  const count = BigInt(
    await wallet.rpc.ask(chainId, (client) => client.getTransactionCount({ address: own.sender, blockTag: 'latest' })),
  );
  const attempts = await wallet.store.attempts(own);
  const waiting = await carryOn(wallet, own, count);
  signal.throwIfAborted();
  const last = attempts.at(-1);
  const seen = { own, count, attempts: attempts.length, waiting };
  if (last === undefined) return { ...seen, current: undefined };
  if (last.nonce >= count) return { ...seen, current: waiting.find(({ id }) => id === last.id) ?? last };
  return { ...seen, current: await minedOf(wallet, last, { chainId, confirmations }) };
}

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
  if (!(await wallet.store.replace(written, signed))) return written;
  return { ...written, ...signed, replaced: [written.raw, ...written.replaced], ageMs: 0 };
}

/**
 * The transaction whose nonce is used up, or the one in its place that was mined; `undefined` when the call may be sent
 * anew: it was mined and reverted, or gave its nonce to another. Not at the first sight of that: whoever asks looks first
 * whether the call is still wanted.
 */
async function minedOf(
  wallet: Wallet,
  last: WrittenTransaction,
  { chainId, confirmations }: Pick<SendingQuestion, 'chainId' | 'confirmations'>,
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

/** Of a transaction, or of the one among those that it took the place of which was mined. */
async function receiptOf({ rpc }: Wallet, chainId: number, { raw, replaced }: WrittenTransaction) {
  for (const signed of [raw, ...replaced] as Hex[]) {
    const txHash = keccak256(signed);
    const receipt = await requestReceipt(rpc, { chainId, txHash });
    if (receipt !== undefined) return { txHash, raw: signed, status: receipt.status, blockNumber: receipt.blockNumber };
  }
  return undefined;
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
