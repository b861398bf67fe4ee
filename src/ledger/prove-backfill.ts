import { type Hex, numberToHex, pad, type PublicClient } from 'viem';
import { z } from 'zod';
import { readHead } from '../rpc/head-reader';
import { nodeErrorOf } from '../rpc/rpc-failure';
import type { BlockPlace } from './ledger-cursor';
import type { LedgerDeps } from './ledger-deps';
import type { WalletBackfill } from './wallet-backfill';

/** Listed tokens of a chain that are compared. With more of them nothing is proven. */
const MAX_LISTED = 1000;
/** Other tokens that are compared: those that moved last. */
const MAX_UNLISTED = 100;
/** Tokens that are compared at the same time. */
const TOKENS_PER_ROUND = 20;

/** How the movements of a wallet compare with its balances. */
export interface BackfillProof {
  /** True when the movements of every listed token add up to its balance. */
  readonly isProven: boolean;
  /** Which tokens differ; absent when none does. */
  readonly reason?: string;
}

interface ComparedToken {
  /** In lower case. */
  readonly token: string;
  readonly isListed: boolean;
  /** What the wallet received minus what it sent. */
  readonly sum: bigint;
}

export interface ProofRequest {
  readonly own: WalletBackfill;
  readonly client: PublicClient;
  /** The newest block whose movements are recorded. */
  readonly anchor: BlockPlace;
}

/**
 * Compares the movements of a wallet since `lowest` with its balances, or else with their change since then, where the node has
 * that state. All listed tokens are compared, also those without movements: the node may have left all of them out. Any
 * contract can emit transfers: tokens that are not listed are compared, but prove nothing.
 *
 * @throws when the node does not respond
 */
export async function proveBackfill(
  deps: Pick<LedgerDeps, 'database' | 'chains'>,
  chainId: number,
  { own, client, anchor }: ProofRequest,
): Promise<BackfillProof> {
  const listed = listedTokens(deps, chainId);
  if (listed.length === 0) return { isProven: false, reason: 'the chain has no listed tokens to compare' };
  if (listed.length > MAX_LISTED) return { isProven: false, reason: 'the chain has too many listed tokens to compare' };
  const compared = await comparedTokens(deps, chainId, { own, anchor, listed });
  const differing: ComparedToken[] = [];
  for (let start = 0; start < compared.length; start += TOKENS_PER_ROUND) {
    const round = compared.slice(start, start + TOKENS_PER_ROUND);
    const results = await Promise.allSettled(round.map((each) => addsUp(client, { own, anchor, each })));
    const failed = results.find((result, index) => result.status === 'rejected' && round[index]?.isListed === true);
    if (failed?.status === 'rejected') throw failed.reason;
    // A contract may make its own call fail. A node that responds to nothing says nothing about it.
    if (results.some(({ status }) => status === 'rejected')) await readHead(client);
    differing.push(...round.filter((_, index) => !isEqual(results[index])));
  }
  const different = differing.find(({ isListed }) => isListed);
  if (differing.length === 0) return { isProven: true };
  const reason =
    different === undefined
      ? `the balances of ${String(differing.length)} tokens that are not listed differ from their movements`
      : `the balance of ${different.token} differs from its movements`;
  return { isProven: different === undefined, reason };
}

/** Addresses in lower case. */
const listedTokens = ({ chains }: Pick<LedgerDeps, 'chains'>, chainId: number): readonly string[] =>
  chains.get(chainId).tokens.map(({ address }) => address.toLowerCase());

const isEqual = (result: PromiseSettledResult<boolean> | undefined): boolean =>
  result?.status === 'fulfilled' && result.value;

/** Listed tokens come first. */
async function comparedTokens(
  { database }: Pick<LedgerDeps, 'database'>,
  chainId: number,
  { own, anchor, listed }: Pick<ProofRequest, 'own' | 'anchor'> & { readonly listed: readonly string[] },
): Promise<readonly ComparedToken[]> {
  const moved = await database.$queryRaw<{ token: string; sum: string }[]>`
    SELECT token, sum(CASE kind WHEN 'transferIn' THEN amount ELSE -amount END)::text AS sum
      FROM "LedgerEntry"
     WHERE "walletId" = ${own.walletId} AND "chainId" = ${chainId} AND "logIndex" >= 0
       AND "blockNumber" BETWEEN ${own.lowest} AND ${anchor.number}
     GROUP BY token ORDER BY token = ANY (${[...listed]}::text[]) DESC, max("blockNumber") DESC
     LIMIT ${listed.length + MAX_UNLISTED}`;
  const sums = new Map(moved.map(({ token, sum }) => [token, BigInt(sum)]));
  const known = new Set(listed);
  const others = [...sums.keys()].filter((token) => !known.has(token)).slice(0, MAX_UNLISTED);
  return [
    ...listed.map((token) => ({ token, isListed: true, sum: sums.get(token) ?? 0n })),
    ...others.map((token) => ({ token, isListed: false, sum: sums.get(token) ?? 0n })),
  ];
}

async function addsUp(
  client: PublicClient,
  { own, anchor, each: { token, sum } }: Omit<ProofRequest, 'client'> & { readonly each: ComparedToken },
): Promise<boolean> {
  const read = (block: Hex | { readonly blockHash: Hex }) => readBalance(client, { token, owner: own.address, block });
  const now = await read({ blockHash: anchor.hash as Hex });
  if (now === undefined) return false;
  if (now === sum) return true;
  if (own.lowest === 0n) return false;
  const before = await read(numberToHex(own.lowest - 1n)).catch(() => undefined);
  return before !== undefined && now - before === sum;
}

const balanceSchema = z
  .string()
  .regex(/^0x[0-9a-f]{64}/i)
  .transform((text) => BigInt(text.slice(0, 66)));
const BALANCE_OF = '0x70a08231';

/** The balance of a token; `undefined` when its contract states none. @throws when the node does not respond */
async function readBalance(
  client: PublicClient,
  {
    token,
    owner,
    block,
  }: { readonly token: string; readonly owner: string; readonly block: Hex | { readonly blockHash: Hex } },
): Promise<bigint | undefined> {
  try {
    const call = { to: token as Hex, data: `${BALANCE_OF}${pad(owner as Hex).slice(2)}` as Hex };
    const response: unknown = await client.request({ method: 'eth_call', params: [call, block] });
    return balanceSchema.safeParse(response).data;
  } catch (error) {
    if (nodeErrorOf(error)?.message.includes('revert') === true) return undefined;
    throw error;
  }
}
