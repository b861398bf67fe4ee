import { type Hex, numberToHex, pad, type PublicClient } from 'viem';
import { z } from 'zod';
import { anySignal } from '../async/any-signal';
import { rejectOnAbort } from '../async/race-abort';
import { isExecutionFailure, isStateMissing } from '../rpc/rpc-failure';
import type { BlockPlace } from './ledger-cursor';
import type { LedgerDeps } from './ledger-deps';
import type { WalletBackfill } from './wallet-backfill';

/** Listed tokens of a chain that are compared. With more of them nothing is proven. */
const MAX_LISTED = 1000;
/** Other tokens that are compared: those that moved last. */
const MAX_UNLISTED = 100;
/** Tokens that are compared at the same time. */
const TOKENS_PER_ROUND = 20;
/** Tokens that are not listed are compared no longer than this. */
const MAX_UNLISTED_MS = 2000;

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
  /** What the wallet received minus what it sent. */
  readonly sum: bigint;
}

export interface ProofRequest {
  readonly own: WalletBackfill;
  readonly client: PublicClient;
  /** The newest block whose movements are recorded. */
  readonly anchor: BlockPlace;
  /** Ends the requests to the node. */
  readonly signal: AbortSignal;
}

/**
 * Compares the movements of a wallet since `lowest` with its balances, or else with their change since then, where the node has
 * that state. All listed tokens are compared, also those without movements: the node may have left all of them out. Any
 * contract can emit transfers: tokens that are not listed are compared afterwards, and decide nothing.
 *
 * @throws when the node does not respond
 */
export async function proveBackfill(
  deps: Pick<LedgerDeps, 'database' | 'chains'>,
  chainId: number,
  { own, client, anchor, signal }: ProofRequest,
): Promise<BackfillProof> {
  const listed = listedTokens(deps, chainId);
  if (listed.length === 0) return { isProven: false, reason: 'the chain has no listed tokens to compare' };
  if (listed.length > MAX_LISTED) return { isProven: false, reason: 'the chain has too many listed tokens to compare' };
  const compared = await comparedTokens(deps, chainId, { own, anchor, listed });
  const request = { own, client, anchor, signal };
  for (let start = 0; start < listed.length; start += TOKENS_PER_ROUND) {
    const round = compared.listed.slice(start, start + TOKENS_PER_ROUND);
    const results = await Promise.all(round.map((each) => addsUp(request, each)));
    const different = round.find((_, index) => results[index] === false);
    if (different !== undefined) {
      return { isProven: false, reason: `the balance of ${different.token} differs from its movements` };
    }
  }
  const count = await countDiffering(request, compared.others);
  if (count === 0) return { isProven: true };
  return {
    isProven: true,
    reason: `the balances of ${String(count)} tokens that are not listed differ, or take too long`,
  };
}

/** Compares tokens whose contracts may be hostile, in a bounded time. A failure counts as a difference. Never throws. */
async function countDiffering(request: ProofRequest, tokens: readonly ComparedToken[]): Promise<number> {
  const signal = anySignal(request.signal, AbortSignal.timeout(MAX_UNLISTED_MS));
  let count = 0;
  for (let start = 0; start < tokens.length; start += TOKENS_PER_ROUND) {
    if (signal.aborted) return count + tokens.length - start;
    const round = tokens.slice(start, start + TOKENS_PER_ROUND);
    const results = await Promise.allSettled(
      round.map((each) => rejectOnAbort(addsUp({ ...request, signal }, each), signal)),
    );
    count += results.filter((result) => result.status === 'rejected' || !result.value).length;
  }
  return count;
}

/** Addresses in lower case. */
const listedTokens = ({ chains }: Pick<LedgerDeps, 'chains'>, chainId: number): readonly string[] =>
  chains.get(chainId).tokens.map(({ address }) => address.toLowerCase());

async function comparedTokens(
  { database }: Pick<LedgerDeps, 'database'>,
  chainId: number,
  { own, anchor, listed }: Pick<ProofRequest, 'own' | 'anchor'> & { readonly listed: readonly string[] },
): Promise<{ readonly listed: readonly ComparedToken[]; readonly others: readonly ComparedToken[] }> {
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
  const withSum = (token: string): ComparedToken => ({ token, sum: sums.get(token) ?? 0n });
  return { listed: listed.map(withSum), others: others.map(withSum) };
}

async function addsUp({ own, client, anchor, signal }: ProofRequest, { token, sum }: ComparedToken): Promise<boolean> {
  const read = (block: StateBlock) => readBalance(client, { token, owner: own.address, block, signal });
  const now = await read({ blockHash: anchor.hash as Hex });
  if (now === undefined) return false;
  if (now === sum) return true;
  if (own.lowest === 0n) return false;
  const before = await read(numberToHex(own.lowest - 1n)).catch(unlessMissing);
  return before !== undefined && now - before === sum;
}

/** Most nodes keep the states of recent blocks alone. Any other failure may be over at the next attempt. */
function unlessMissing(error: unknown): undefined {
  if (!isStateMissing(error)) throw error;
}

const balanceSchema = z
  .string()
  .regex(/^0x[0-9a-f]{64}/i)
  .transform((text) => BigInt(text.slice(0, 66)));
const BALANCE_OF = '0x70a08231';

/** A block by its hash, or by its number. */
type StateBlock = { readonly blockHash: Hex } | Hex;

/** The balance of a token; `undefined` when its contract states none. @throws when the node does not respond */
async function readBalance(
  client: PublicClient,
  {
    token,
    owner,
    block,
    signal,
  }: { readonly token: string; readonly owner: string; readonly block: StateBlock; readonly signal: AbortSignal },
): Promise<bigint | undefined> {
  try {
    const call = { to: token as Hex, data: `${BALANCE_OF}${pad(owner as Hex).slice(2)}` as Hex };
    const response: unknown = await client.request({ method: 'eth_call', params: [call, block] }, { signal });
    return balanceSchema.safeParse(response).data;
  } catch (error) {
    if (isExecutionFailure(error)) return undefined;
    throw error;
  }
}
