import { resolveWithin } from '../../async/resolve-within';
import { Prisma } from '../../persistence/client/client';
import type { Transaction } from '../../persistence/database';
import { SEES_ALL_ROWS } from '../../persistence/scoped-pool';
import type { TrackerDeps } from './tracker-deps';

/** How long a chain has no tracker after the replica that reads it was killed. */
const LEASE_SECONDS = 30;

/** The lease ended during a pass. Another replica may read the chain, therefore the pass is rolled back. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
  constructor(chainId: number) {
    super(`the lease of chain ${chainId} ended during a pass`);
  }
}

type LeaseDeps = Pick<TrackerDeps, 'database' | 'replicaId' | 'leaseSeconds'>;

/**
 * Takes or renews the lease of a chain. False while another replica holds it, and for a user that sees no rows because
 * of row-level security: it would find no action in any block, and go on.
 */
export async function holdLease(
  { database, replicaId, leaseSeconds = LEASE_SECONDS }: LeaseDeps,
  chainId: number,
): Promise<boolean> {
  const held = await database.$executeRaw`
    INSERT INTO "ChainTracker" AS tracker ("chainId", "leaseOwner", "leaseUntil")
    SELECT ${chainId}::bigint, ${replicaId}::uuid, now() + make_interval(secs => ${leaseSeconds})
     WHERE ${Prisma.raw(SEES_ALL_ROWS)}
    ON CONFLICT ("chainId") DO UPDATE
       SET "leaseOwner" = excluded."leaseOwner", "leaseUntil" = excluded."leaseUntil"
     WHERE tracker."leaseUntil" < now() OR tracker."leaseOwner" = excluded."leaseOwner"`;
  return held === 1;
}

/**
 * Renews the lease and locks it until the end of the transaction, so that only one replica writes.
 *
 * A lease that has ended is not taken again: another replica may have read the chain meanwhile.
 */
export async function requireLease(
  tx: Pick<Transaction, '$executeRaw'>,
  { replicaId, leaseSeconds = LEASE_SECONDS }: Omit<LeaseDeps, 'database'>,
  chainId: number,
): Promise<void> {
  const held = await tx.$executeRaw`
    UPDATE "ChainTracker" SET "leaseUntil" = now() + make_interval(secs => ${leaseSeconds})
     WHERE "chainId" = ${chainId} AND "leaseOwner" = ${replicaId}::uuid AND "leaseUntil" > now()`;
  if (held === 0) throw new LeaseLostError(chainId);
}

/**
 * Runs `work` and renews the lease meanwhile: a pass may take longer than a lease, because a node is slow. Waits for a renewal
 * in progress before it returns. A renewal without a response is given up in time for the next one; its statement may still run
 * afterwards.
 */
export async function renewingLease<Result>(
  deps: LeaseDeps,
  chainId: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const { database, leaseSeconds = LEASE_SECONDS } = deps;
  const intervalMs = (leaseSeconds * 1000) / 3;
  // A renewal that fails is repeated; when the lease was lost, the next write of the pass finds out.
  let renewal: Promise<void> | undefined;
  const renew = (): void => {
    renewal ??= resolveWithin(
      requireLease(database, deps, chainId).catch(() => undefined),
      intervalMs / 2,
    ).finally(() => {
      renewal = undefined;
    });
  };
  const timer = setInterval(renew, intervalMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await renewal;
  }
}

/** Releases the lease, so that another replica can take it at once. */
export async function releaseLease({ database, replicaId }: LeaseDeps, chainId: number): Promise<void> {
  await database.$executeRaw`
    UPDATE "ChainTracker" SET "leaseUntil" = now()
     WHERE "chainId" = ${chainId} AND "leaseOwner" = ${replicaId}::uuid`;
}
