import { type Address, erc20Abi, parseEventLogs, type TransactionReceipt } from 'viem';
import type { Chain } from '../../chains/chain';
import { type BaseUnits, toBaseUnits } from '../../money/base-units';
import type { Rpc } from '../../rpc/rpc';
import { isFinal, readReceipt } from '../../rpc/search-logs';

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
  const receipt = await readReceipt(rpc, question);
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
  { chain, ...question }: SettledQuestion,
): Promise<readonly BaseUnits[] | undefined> {
  const receipt = await readReceipt(rpc, { chainId: chain.chainId, txHash: question.txHash });
  if (receipt === undefined || !(await isFinal(rpc, { chain, blockNumber: receipt.blockNumber }))) return undefined;
  return partsOf(receipt, question);
}

function partsOf(receipt: TransactionReceipt, { token, owner }: TokenArrival): readonly BaseUnits[] {
  if (receipt.status !== 'success') return [];
  const logs = receipt.logs.filter(({ address }) => address.toLowerCase() === token.toLowerCase());
  const moves = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs, args: { to: owner as Address } });
  return moves.map(({ args }) => toBaseUnits(args.value));
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
