import { type Address, type Hex, keccak256 } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { Logger } from 'pino';
import { broadcast } from '../../../rpc/broadcast';
import { isExecutionFailure } from '../../../rpc/rpc-failure';
import { requestReceipt } from '../../../rpc/search-logs';
import { feesOf, maxCost, replacementTerms, type TransactionTerms } from '../../../rpc/transaction-terms';
import { orderWalletOf } from '../order-wallet';
import type { StockOrder } from '../stock-order';
import type { Obstacle } from '../stock-venue';
import type { CallKind, StoredCall, WalletCallStore } from '../wallet-call-store';
import { readFinalBlock } from './final-block';
import { type FundingDeps, fundWallet, readCoin } from './fund-wallet';

export interface WalletCallDeps extends FundingDeps {
  readonly calls: WalletCallStore;
  /** The keys of the order wallets are derived from it; hexadecimal. */
  readonly secret: string;
  readonly log: Pick<Logger, 'warn'>;
  /** Time that a transaction may be pending before one with a higher fee replaces it. */
  readonly replaceAfterMs?: number;
}

export interface WalletCall {
  readonly kind: CallKind;
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
  /** Gas units that must be left for later calls. */
  readonly reserve?: bigint;
  /** False for a call that is not worth gas of the service. */
  readonly isFunded?: boolean;
  /** Maximum cost of all gas that the wallet of the order is given until then; any cost when absent. */
  readonly maxGasMicroUsd?: bigint;
  readonly signal: AbortSignal;
}

const REPLACE_AFTER_MS = 90_000;
/** Calls that may be needed again after one has succeeded. */
const REPEATABLE: ReadonlySet<CallKind> = new Set(['leftover', 'sweep']);

type Sending = { readonly txHash: Hex } | 'waiting' | Obstacle;

/**
 * Sends a call with the next nonce of an order wallet, and gives the wallet gas first where it has too little. The transaction
 * is stored before it is sent. While one is pending it is sent again, and replaced by one with a higher fee after a while; no
 * other is signed until the chain shows its result. The caller reads from the chain whether its call has taken effect, and
 * repeats it otherwise.
 *
 * Returns the hash of the transaction, `waiting` while gas or an earlier transaction is pending, or why nothing can be sent.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function callFromWallet(deps: WalletCallDeps, order: StockOrder, call: WalletCall): Promise<Sending> {
  const { rpc, calls } = deps;
  const account = orderWalletOf(deps.secret, order.actionId);
  const { address } = account;
  const [nonce, stored] = await Promise.all([
    rpc.request(order.chainId, (client) => client.getTransactionCount({ address, blockTag: 'latest' })),
    calls.all(order),
  ]);
  const pending = stored.filter((each) => each.nonce >= nonce);
  if (pending.length > 0) return resend(deps, order, { account, pending, call });
  const last = stored.at(-1);
  const outcome = last === undefined ? 'reverted' : await outcomeOf(deps, order, last);
  // What the caller has read may be older than the transaction.
  const isDone = outcome === 'success' && last?.kind === call.kind && !REPEATABLE.has(call.kind);
  if (outcome === undefined || isDone) return 'waiting';
  return sendNext(deps, order, { account, nonce, call });
}

/**
 * How a transaction whose nonce is used has ended: `replaced` when a final block shows that another one has used its nonce, as an
 * operator with the derived key may send it. `undefined` while a node that is behind does not show its receipt.
 */
async function outcomeOf(
  deps: WalletCallDeps,
  { chainId, orderWallet: address }: StockOrder,
  { raws, nonce }: StoredCall,
): Promise<'success' | 'reverted' | 'replaced' | undefined> {
  const { rpc } = deps;
  for (const raw of raws) {
    const receipt = await requestReceipt(rpc, { chainId, txHash: keccak256(raw) });
    if (receipt !== undefined) return receipt.status;
  }
  const { final: blockNumber } = await readFinalBlock(deps, chainId);
  const count = await rpc.request(chainId, (client) => client.getTransactionCount({ address, blockNumber }));
  return count > nonce ? 'replaced' : undefined;
}

interface NextCall {
  readonly account: PrivateKeyAccount;
  readonly nonce: number;
  readonly call: WalletCall;
}

async function sendNext(deps: WalletCallDeps, order: StockOrder, { account, nonce, call }: NextCall): Promise<Sending> {
  const { rpc, calls, log } = deps;
  const { chainId } = order;
  const terms = await termsOf(deps, order, call);
  if (!('fees' in terms)) return terms;
  const { needed, ...unsigned } = terms;
  if ((await readCoin(rpc, order)) < needed) return fundFor(deps, order, { call, needed });
  const raw = await sign(account, { ...unsigned, chainId, nonce });
  if (!(await calls.save(order, { kind: call.kind, nonce, raws: [raw] }))) return 'waiting';
  const signed = signedOf(raw);
  await broadcast({ rpc, log }, chainId, signed);
  return { txHash: signed.txHash };
}

interface PendingCalls {
  readonly account: PrivateKeyAccount;
  /** In the order of their nonces. A reorganisation may have removed several from the chain. */
  readonly pending: readonly StoredCall[];
  readonly call: WalletCall;
}

/** Sends pending transactions again, the earliest first: later ones wait for it. */
async function resend(
  deps: WalletCallDeps,
  order: StockOrder,
  { account, pending, call }: PendingCalls,
): Promise<Sending> {
  const { rpc, log } = deps;
  let sending: Sending = 'waiting';
  for (const each of pending) {
    const { signed, needed } = await renew(deps, order, { account, stored: each });
    await broadcast({ rpc, log }, order.chainId, signed);
    if (needed !== undefined) return fundFor(deps, order, { call, needed });
    sending = each.kind === call.kind ? { txHash: signed.txHash } : 'waiting';
  }
  return sending;
}

interface Renewed {
  readonly signed: ReturnType<typeof signedOf>;
  /** What a transaction with a higher fee needs, in wei, where the wallet has less: it is not signed yet. */
  readonly needed?: bigint;
}

/** A pending transaction, or another one with a higher fee in its place. */
async function renew(
  deps: WalletCallDeps,
  order: StockOrder,
  { account, stored }: { readonly account: PrivateKeyAccount; readonly stored: StoredCall },
): Promise<Renewed> {
  const { rpc, calls, replaceAfterMs = REPLACE_AFTER_MS } = deps;
  const { kind, nonce, raws, ageMs } = stored;
  const [current] = raws;
  const signed = signedOf(current);
  const terms = ageMs > replaceAfterMs ? replacementTerms(current, await rpc.feeData(order.chainId)) : undefined;
  if (terms === undefined) return { signed };
  const raw = await sign(account, { ...terms, chainId: order.chainId, nonce });
  const needed = maxCost(raw);
  const isShort = (await readCoin(rpc, order)) < needed;
  // It sends all of the coin: gas for another fee would be sent as well.
  if (isShort && kind === 'sweep') return { signed };
  if (isShort) return { signed, needed };
  return (await calls.save(order, { kind, nonce, raws: [raw, ...raws] })) ? { signed: signedOf(raw) } : { signed };
}

/** Gives the wallet gas for a call, unless the call is not worth it. */
async function fundFor(
  deps: WalletCallDeps,
  order: StockOrder,
  { call, needed }: { readonly call: WalletCall; readonly needed: bigint },
): Promise<'waiting' | Obstacle> {
  const { isFunded = true, maxGasMicroUsd, signal } = call;
  return isFunded ? fundWallet(deps, order, { needed, maxGasMicroUsd, signal }) : 'waiting';
}

const signedOf = (raw: Hex) => ({ raw, txHash: keccak256(raw) });

/** Contents and fees of a transaction, and the coin that the wallet needs for it and for later calls. */
async function termsOf(
  { rpc }: WalletCallDeps,
  { chainId, orderWallet: account }: StockOrder,
  { kind, to, data, value, reserve = 0n }: WalletCall,
): Promise<(TransactionTerms & { readonly needed: bigint }) | Obstacle> {
  const gas = await rpc.request(chainId, async (client) => {
    try {
      return await client.estimateGas({ account, to, data, value });
    } catch (error) {
      if (isExecutionFailure(error)) return undefined;
      throw error;
    }
  });
  if (gas === undefined) return { obstacle: `The transaction of the order wallet would revert: ${kind}` };
  const fees = await rpc.feeData(chainId);
  const limit = data === '0x' ? gas : (gas * 13n) / 10n;
  const needed = value + (limit + reserve) * fees.maxFeePerGas;
  return { to, data, value, gas: limit, fees: feesOf(fees), needed };
}

async function sign(
  account: PrivateKeyAccount,
  { to, fees, ...rest }: TransactionTerms & { readonly chainId: number; readonly nonce: number },
): Promise<Hex> {
  const transaction = { ...rest, to: to as Address };
  return 'gasPrice' in fees
    ? account.signTransaction({ type: 'legacy', ...transaction, ...fees })
    : account.signTransaction({ type: 'eip1559', ...transaction, ...fees });
}
