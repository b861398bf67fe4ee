import { type Address, type Hex, keccak256, parseTransaction } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { Logger } from 'pino';
import { broadcast } from '../../../rpc/broadcast';
import { isExecutionFailure } from '../../../rpc/rpc-failure';
import { feesOf, maxCost, replacementTerms, type TransactionTerms } from '../../../rpc/transaction-terms';
import { orderWalletOf } from '../order-wallet';
import type { StockOrder } from '../stock-order';
import type { Obstacle } from '../stock-venue';
import type { CallKind, StoredCall, WalletCallStore } from '../wallet-call-store';
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
  /** Maximum cost of the gas that the wallet is given for the call; any cost when absent. */
  readonly maxGasMicroUsd?: bigint;
  readonly signal: AbortSignal;
}

const REPLACE_AFTER_MS = 90_000;

/**
 * Sends a call with the next nonce of an order wallet, and gives the wallet gas first where it has too little. The transaction
 * is stored before it is sent. While one is pending it is sent again, and replaced by one with a higher fee after a while; no
 * other is sent meanwhile. The caller reads from the chain whether its call has taken effect, and repeats it otherwise.
 *
 * Returns the hash of the transaction, `waiting` while gas or an earlier transaction is pending, or why nothing can be sent.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function callFromWallet(
  deps: WalletCallDeps,
  order: StockOrder,
  call: WalletCall,
): Promise<{ readonly txHash: Hex } | 'waiting' | Obstacle> {
  const { rpc, calls, log } = deps;
  const { chainId } = order;
  const account = orderWalletOf(deps.secret, order.actionId);
  const { address } = account;
  const [nonce, last] = await Promise.all([
    rpc.request(chainId, (client) => client.getTransactionCount({ address, blockTag: 'latest' })),
    calls.last(order),
  ]);
  if (last !== undefined && nonceOf(last) >= nonce) {
    const pending = await renew(deps, order, { account, last, signal: call.signal });
    if (pending === 'waiting' || 'obstacle' in pending) return pending;
    await broadcast({ rpc, log }, chainId, pending);
    return last.kind === call.kind ? { txHash: pending.txHash } : 'waiting';
  }
  return sendNext(deps, order, { account, nonce, call });
}

interface NextCall {
  readonly account: PrivateKeyAccount;
  readonly nonce: number;
  readonly call: WalletCall;
}

async function sendNext(deps: WalletCallDeps, order: StockOrder, { account, nonce, call }: NextCall) {
  const { rpc, calls, log } = deps;
  const { chainId } = order;
  const terms = await termsOf(deps, order, call);
  if (!('fees' in terms)) return terms;
  const { needed, ...unsigned } = terms;
  if ((await readCoin(rpc, order)) < needed) {
    const { isFunded = true, maxGasMicroUsd, signal } = call;
    return isFunded ? fundWallet(deps, order, { needed, maxGasMicroUsd, signal }) : 'waiting';
  }
  const raw = await sign(account, { ...unsigned, chainId, nonce });
  if (!(await calls.save(order, { kind: call.kind, raws: [raw] }))) return 'waiting';
  const signed = signedOf(raw);
  await broadcast({ rpc, log }, chainId, signed);
  return { txHash: signed.txHash };
}

const nonceOf = ({ raws: [raw] }: StoredCall): number => parseTransaction(raw).nonce ?? 0;

interface Renewal {
  readonly account: PrivateKeyAccount;
  readonly last: StoredCall;
  readonly signal: AbortSignal;
}

/** The pending transaction, or another one with a higher fee in its place. */
async function renew(
  deps: WalletCallDeps,
  order: StockOrder,
  { account, last, signal }: Renewal,
): Promise<ReturnType<typeof signedOf> | 'waiting' | Obstacle> {
  const { rpc, calls, replaceAfterMs = REPLACE_AFTER_MS } = deps;
  const [current, ...replaced] = last.raws;
  const terms = last.ageMs > replaceAfterMs ? replacementTerms(current, await rpc.feeData(order.chainId)) : undefined;
  if (terms === undefined) return signedOf(current);
  const raw = await sign(account, { ...terms, chainId: order.chainId, nonce: nonceOf(last) });
  const needed = maxCost(raw);
  const isShort = (await readCoin(rpc, order)) < needed;
  // It sends all of the coin: gas for another fee would be sent as well.
  if (isShort && last.kind === 'sweep') return signedOf(current);
  if (isShort) return fundWallet(deps, order, { needed, signal });
  const isSaved = await calls.save(order, { kind: last.kind, raws: [raw, current, ...replaced] });
  return isSaved ? signedOf(raw) : 'waiting';
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
