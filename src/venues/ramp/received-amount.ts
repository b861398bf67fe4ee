import { type Address, erc20Abi, parseEventLogs, type TransactionReceipt } from 'viem';
import type { Chain } from '../../chains/chain';
import { type BaseUnits, toBaseUnits } from '../../money/base-units';
import { maxBigInt } from '../../money/min-max';
import type { Rpc } from '../../rpc/rpc';
import type { SolanaRpc } from '../../rpc/solana/solana-rpc';
import { isFinal, requestReceipt } from '../../rpc/search-logs';
import { isSameAddress } from '../../chains/addresses';

interface TransferQuery {
  readonly txHash: string;
  /** An ERC-20. */
  readonly token: string;
  readonly owner: string;
}

export interface ReceivedAmountQuery extends TransferQuery {
  readonly chainId: number;
}

/**
 * Amount of a token that a mined transaction transferred to an account: 0 when it failed or transferred nothing,
 * `undefined` while it is not mined.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function readReceivedAmount(
  rpc: Pick<Rpc, 'request'>,
  query: ReceivedAmountQuery,
): Promise<BaseUnits | undefined> {
  const receipt = await requestReceipt(rpc, query);
  return receipt === undefined ? undefined : total(amountsOf(receipt, query));
}

/**
 * Amount of a token that a confirmed Solana transaction transferred to a wallet: 0 when it failed or transferred
 * nothing, `undefined` while it is not confirmed.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function readReceivedAmountOnSolana(
  solana: Pick<SolanaRpc, 'transactions'>,
  { chainId, txHash, token, owner }: ReceivedAmountQuery,
  signal: AbortSignal,
): Promise<BaseUnits | undefined> {
  const query = { signatures: [txHash], commitment: 'confirmed' } as const;
  const [transaction] = await solana.transactions(chainId, query, signal);
  if (transaction === undefined) return undefined;
  if (transaction.error !== null) return toBaseUnits(0n);
  const matching = transaction.tokens.filter((change) => change.mint === token && change.owner === owner);
  const arrived = matching.reduce((sum, { before, after }) => sum + after - before, 0n);
  return toBaseUnits(maxBigInt(arrived, 0n));
}

export interface SettledAmountQuery extends TransferQuery {
  readonly chain: Pick<Chain, 'chainId' | 'confirmations'>;
}

/** The received amount of a final transaction; `undefined` until it is final. @throws PROVIDER_UNAVAILABLE */
export async function readSettledAmount(
  rpc: Pick<Rpc, 'request'>,
  query: SettledAmountQuery,
): Promise<BaseUnits | undefined> {
  const parts = await readSettledAmounts(rpc, query);
  return parts && total(parts);
}

/** The received amounts of a final transaction, one for each transfer. @throws PROVIDER_UNAVAILABLE */
export async function readSettledAmounts(
  rpc: Pick<Rpc, 'request'>,
  query: SettledAmountQuery,
): Promise<readonly BaseUnits[] | undefined> {
  return (await readSettledTransfers(rpc, query))?.map(({ amount }) => amount);
}

/** One transfer of a token to an account. */
export interface ReceivedTransfer {
  /** Log index of its event in the block. */
  readonly logIndex: number;
  readonly amount: BaseUnits;
}

/** The received transfers of a final transaction. @throws PROVIDER_UNAVAILABLE */
export async function readSettledTransfers(
  rpc: Pick<Rpc, 'request'>,
  { chain, ...query }: SettledAmountQuery,
): Promise<readonly ReceivedTransfer[] | undefined> {
  const receipt = await requestReceipt(rpc, { chainId: chain.chainId, txHash: query.txHash });
  if (receipt === undefined || !(await isFinal(rpc, { chain, blockNumber: receipt.blockNumber }))) return undefined;
  return transfersOf(receipt, query);
}

const amountsOf = (receipt: TransactionReceipt, arrival: TransferQuery): readonly BaseUnits[] =>
  transfersOf(receipt, arrival).map(({ amount }) => amount);

function transfersOf(receipt: TransactionReceipt, { token, owner }: TransferQuery): readonly ReceivedTransfer[] {
  if (receipt.status !== 'success') return [];
  const logs = receipt.logs.filter(({ address }) => isSameAddress(address, token));
  const transfers = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs, args: { to: owner as Address } });
  return transfers.map(({ logIndex, args }) => ({ logIndex, amount: toBaseUnits(args.value) }));
}

/** Share of the promised amount that a transfer may differ by, where a transaction pays several. */
const TOLERANCE_SHARE = 100n;

/**
 * Log indexes of the transfers that may be the promised payment, the closest amount first. Ramps report fewer digits
 * than a token has, so amounts may differ. The only transfer of a transaction always qualifies.
 */
export function rankTransfersByAmount(payments: readonly ReceivedTransfer[], promised: BaseUnits): readonly number[] {
  const distance = ({ amount }: ReceivedTransfer): bigint =>
    amount > promised ? amount - promised : promised - amount;
  const matching =
    payments.length === 1
      ? payments
      : payments.filter((payment) => distance(payment) * TOLERANCE_SHARE <= (promised as bigint));
  const byDistance = (one: ReceivedTransfer, other: ReceivedTransfer): number => {
    const difference = distance(one) - distance(other);
    if (difference !== 0n) return difference < 0n ? -1 : 1;
    return one.logIndex - other.logIndex;
  };
  return [...matching].sort(byDistance).map(({ logIndex }) => logIndex);
}

const total = (parts: readonly BaseUnits[]): BaseUnits => toBaseUnits(parts.reduce((sum, part) => sum + part, 0n));

/**
 * The share of one action in the amounts of a transaction, which may execute several: the sum when it is within the
 * slippage of the expected amount, else the adjacent amounts whose sum is closest to it.
 */
export function attributeAmount(
  parts: readonly BaseUnits[],
  { expected, minimum }: { readonly expected: BaseUnits; readonly minimum: BaseUnits },
): BaseUnits {
  const all = total(parts);
  if (all <= expected + (expected - minimum)) return all;
  const sums = parts.flatMap((_, from) =>
    parts.slice(from).map((__, count) => total(parts.slice(from, from + count + 1))),
  );
  const distance = (sum: BaseUnits): bigint => (sum > expected ? sum - expected : expected - sum);
  return sums.reduce((best, sum) => (distance(sum) < distance(best) ? sum : best), all);
}
