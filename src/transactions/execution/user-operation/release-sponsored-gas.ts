import type { Address } from 'viem';
import { entryPoint07Abi } from 'viem/account-abstraction';
import type { Logger } from 'pino';
import type { Chain } from '../../../chains/chain';
import type { ChainTable } from '../../../chains/chain-table';
import { describeFailure } from '../../../errors/describe-failure';
import type { Database } from '../../../persistence/database';
import { contractRead } from '../../../rpc/contract-read';
import type { Rpc } from '../../../rpc/rpc';
import { ENTRY_POINT } from '../../../smart-accounts/safe-contracts';

export interface ReleaseDeps {
  readonly database: Pick<Database, '$queryRaw' | '$executeRaw'>;
  readonly rpc: Pick<Rpc, 'serves' | 'blockNumber' | 'request' | 'multicall'>;
  readonly chains: Pick<ChainTable, 'all'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** Records of one eth_call, and batches of one chain in one run. */
const [BATCH_SIZE, MAX_BATCHES] = [400, 5];

/**
 * Releases the recorded gas of sponsored operations that have expired and were not executed. Only the EntryPoint decides: it
 * counts the nonces of every execution, whichever contract called it and whether the calls reverted.
 *
 * Chains are independent of each other: one that does not respond keeps its records. Safe to run on several replicas at
 * once.
 */
export async function releaseSponsoredGas(deps: ReleaseDeps, signal: AbortSignal): Promise<void> {
  const { chains, rpc, log } = deps;
  const served = chains.all.filter(({ kind, chainId }) => kind === 'evm' && rpc.serves(chainId));
  const releasing = served.map(async (chain) => {
    try {
      await releaseOnChain(deps, chain, signal);
    } catch (error) {
      if (signal.aborted) return;
      const described = { chainId: chain.chainId, cause: describeFailure(error) };
      log.warn(described, 'sponsored gas stays counted: the use of expired operations could not be read');
    }
  });
  await Promise.all(releasing);
}

async function releaseOnChain(deps: ReleaseDeps, chain: Chain, signal: AbortSignal): Promise<void> {
  const { chainId } = chain;
  if ((await findExpired(deps, chainId, new Date())).length === 0) return;
  const block = await readFinalBlock(deps, chain);
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    signal.throwIfAborted();
    const expired = await findExpired(deps, chainId, block.time);
    const decided = await decide(deps, { chainId, expired, block, signal });
    if (expired.length < BATCH_SIZE || decided === 0) return;
  }
}

interface FinalBlock {
  readonly number: bigint;
  readonly time: Date;
}

/** The newest block that a reorganisation does not replace. */
async function readFinalBlock({ rpc }: ReleaseDeps, { chainId, confirmations }: Chain): Promise<FinalBlock> {
  const head = await rpc.blockNumber(chainId);
  const number = head - BigInt(confirmations);
  if (number < 0n) return { number: 0n, time: new Date(0) };
  const { timestamp } = await rpc.request(chainId, (client) => client.getBlock({ blockNumber: number }));
  return { number, time: new Date(Number.parseInt(timestamp.toString(), 10) * 1000) };
}

/** A sponsored operation whose use is not decided. */
interface ExpiredOperation {
  readonly id: string;
  readonly sender: Address;
  readonly nonceKey: bigint;
}

/** The operations that no block after this time executes, the oldest first. */
async function findExpired(
  { database }: ReleaseDeps,
  chainId: number,
  time: Date,
): Promise<readonly ExpiredOperation[]> {
  const rows = await database.$queryRaw<(Omit<ExpiredOperation, 'nonceKey'> & { readonly nonceKey: string })[]>`
    SELECT id, sender, "nonceKey"::text AS "nonceKey" FROM "GasSpending"
     WHERE "chainId" = ${chainId} AND "validUntil" < ${time}
       AND sender IS NOT NULL AND "releasedAt" IS NULL AND "spentAt" IS NULL
     ORDER BY "validUntil" LIMIT ${BATCH_SIZE}`;
  return rows.map(({ nonceKey, ...row }) => ({ ...row, nonceKey: BigInt(nonceKey) }));
}

const NONCE_SEQUENCE_MASK = 2n ** 64n - 1n;

/** Stores for each operation whether its nonce is used in this block. Returns the number of decided operations. */
async function decide(
  { database, rpc }: ReleaseDeps,
  {
    chainId,
    expired,
    block,
    signal,
  }: {
    readonly chainId: number;
    readonly expired: readonly ExpiredOperation[];
    readonly block: FinalBlock;
    readonly signal: AbortSignal;
  },
): Promise<number> {
  if (expired.length === 0) return 0;
  const reads = expired.map(({ sender, nonceKey }) =>
    contractRead({ address: ENTRY_POINT, abi: entryPoint07Abi, functionName: 'getNonce', args: [sender, nonceKey] }),
  );
  const nonces = await rpc.multicall(chainId, reads, { blockNumber: block.number, signal });
  const read = expired.flatMap(({ id }, index) => {
    const nonce = nonces[index];
    return nonce === undefined ? [] : [{ id, isUnused: (nonce & NONCE_SEQUENCE_MASK) === 0n }];
  });
  const unused = read.filter(({ isUnused }) => isUnused).map(({ id }) => id);
  // Meanwhile another operation of the same action may have been signed, which is valid for longer.
  return database.$executeRaw`
    WITH decided AS (
      SELECT id, id = ANY(${unused}::uuid[]) AS unused FROM "GasSpending"
       WHERE id = ANY(${read.map(({ id }) => id)}::uuid[]) AND "validUntil" < ${block.time}
         AND sender IS NOT NULL AND "releasedAt" IS NULL AND "spentAt" IS NULL
         FOR UPDATE SKIP LOCKED
    )
    UPDATE "GasSpending" AS spending
       SET "releasedAt" = CASE WHEN decided.unused THEN now() END,
           "spentAt" = CASE WHEN NOT decided.unused THEN now() END
      FROM decided WHERE spending.id = decided.id`;
}
