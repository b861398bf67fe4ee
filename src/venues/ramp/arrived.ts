import { type Address, erc20Abi, parseEventLogs, type TransactionReceipt } from 'viem';
import type { Chain } from '../../chains/chain';
import { type BaseUnits, toBaseUnits } from '../../money/base-units';
import type { Rpc } from '../../rpc/rpc';
import { isFinal, requestReceipt } from '../../rpc/search-logs';

interface TokenArrival {
  readonly txHash: string;
  /** An ERC-20. */
  readonly token: string;
  readonly owner: string;
}

export interface ArrivalQuestion extends TokenArrival {
  readonly chainId: number;
}

/**
 * What a mined transaction brought of a token to an account: 0 when it failed or brought nothing, `undefined` while the
 * chain does not have it.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function arrivedAt(rpc: Pick<Rpc, 'ask'>, question: ArrivalQuestion): Promise<BaseUnits | undefined> {
  const receipt = await requestReceipt(rpc, question);
  return receipt === undefined ? undefined : sumOf(partsOf(receipt, question));
}

export interface SettledQuestion extends TokenArrival {
  readonly chain: Pick<Chain, 'chainId' | 'confirmations'>;
}

/**
 * The same of a transaction that is final: what it brought may be passed on. `undefined` until it is.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function settledAt(rpc: Pick<Rpc, 'ask'>, question: SettledQuestion): Promise<BaseUnits | undefined> {
  const parts = await settledParts(rpc, question);
  return parts && sumOf(parts);
}

/** The same part by part, in the order in which they came. @throws PROVIDER_UNAVAILABLE */
export async function settledParts(
  rpc: Pick<Rpc, 'ask'>,
  question: SettledQuestion,
): Promise<readonly BaseUnits[] | undefined> {
  return (await settledArrivals(rpc, question))?.map(({ amount }) => amount);
}

/** One transfer of a token to an account, among those of a transaction. */
export interface Arrival {
  /** Where its event stands in the block. */
  readonly logIndex: number;
  readonly amount: BaseUnits;
}

/** The same with the place of each. @throws PROVIDER_UNAVAILABLE */
export async function settledArrivals(
  rpc: Pick<Rpc, 'ask'>,
  { chain, ...question }: SettledQuestion,
): Promise<readonly Arrival[] | undefined> {
  const receipt = await requestReceipt(rpc, { chainId: chain.chainId, txHash: question.txHash });
  if (receipt === undefined || !(await isFinal(rpc, { chain, blockNumber: receipt.blockNumber }))) return undefined;
  return arrivalsOf(receipt, question);
}

const partsOf = (receipt: TransactionReceipt, arrival: TokenArrival): readonly BaseUnits[] =>
  arrivalsOf(receipt, arrival).map(({ amount }) => amount);

function arrivalsOf(receipt: TransactionReceipt, { token, owner }: TokenArrival): readonly Arrival[] {
  if (receipt.status !== 'success') return [];
  const logs = receipt.logs.filter(({ address }) => address.toLowerCase() === token.toLowerCase());
  const moves = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs, args: { to: owner as Address } });
  return moves.map(({ logIndex, args }) => ({ logIndex, amount: toBaseUnits(args.value) }));
}

/** Of what was promised: amounts further apart are somebody else's, where a transaction pays several. */
const TOLERANCE_SHARE = 100n;

/**
 * Which of several payments may be the one that was promised, the likeliest first. Ramps tell less digits than a token
 * has, so that the amounts need not be the same; the only payment of a transaction is the one, whatever it brought.
 */
export function likeliest(payments: readonly Arrival[], promised: BaseUnits): readonly number[] {
  const distance = ({ amount }: Arrival): bigint => (amount > promised ? amount - promised : promised - amount);
  const own =
    payments.length === 1
      ? payments
      : payments.filter((payment) => distance(payment) * TOLERANCE_SHARE <= (promised as bigint));
  const nearer = (one: Arrival, other: Arrival): number => {
    const difference = distance(one) - distance(other);
    if (difference !== 0n) return difference < 0n ? -1 : 1;
    return one.logIndex - other.logIndex;
  };
  return [...own].sort(nearer).map(({ logIndex }) => logIndex);
}

const sumOf = (parts: readonly BaseUnits[]): BaseUnits => toBaseUnits(parts.reduce((sum, part) => sum + part, 0n));

/**
 * What is one action's of the parts that a transaction brought, which may be a bundle and carry out several: all of them
 * when that is what was expected or less, or as much more as it might have been less; else the neighbours that come
 * closest to what was expected.
 */
export function ownPart(
  parts: readonly BaseUnits[],
  { expected, least }: { readonly expected: BaseUnits; readonly least: BaseUnits },
): BaseUnits {
  const all = sumOf(parts);
  if (all <= expected + (expected - least)) return all;
  const runs = parts.flatMap((_, from) =>
    parts.slice(from).map((__, count) => sumOf(parts.slice(from, from + count + 1))),
  );
  const distance = (run: BaseUnits): bigint => (run > expected ? run - expected : expected - run);
  return runs.reduce((best, run) => (distance(run) < distance(best) ? run : best), all);
}
