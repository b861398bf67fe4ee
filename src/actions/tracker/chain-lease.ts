import type { Transaction } from '../../persistence/database';
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

type LeaseDeps = Pick<TrackerDeps, 'database' | 'replicaId'>;

/** Takes or renews the lease of a chain. False while another replica holds it. */
export async function holdLease({ database, replicaId }: LeaseDeps, chainId: number): Promise<boolean> {
  const held = await database.$executeRaw`
    INSERT INTO "ChainTracker" AS tracker ("chainId", "leaseOwner", "leaseUntil")
    VALUES (${chainId}, ${replicaId}::uuid, now() + make_interval(secs => ${LEASE_SECONDS}))
    ON CONFLICT ("chainId") DO UPDATE
       SET "leaseOwner" = excluded."leaseOwner", "leaseUntil" = excluded."leaseUntil"
     WHERE tracker."leaseUntil" < now() OR tracker."leaseOwner" = excluded."leaseOwner"`;
  return held === 1;
}

/** Locks the lease until the end of the transaction, so that only one replica writes. */
export async function requireLease(tx: Transaction, replicaId: string, chainId: number): Promise<void> {
  const held = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM "ChainTracker"
     WHERE "chainId" = ${chainId} AND "leaseOwner" = ${replicaId}::uuid AND "leaseUntil" > now() FOR UPDATE`;
  if (held.length === 0) throw new LeaseLostError(chainId);
}

/** Releases the lease, so that another replica can take it at once. */
export async function releaseLease({ database, replicaId }: LeaseDeps, chainId: number): Promise<void> {
  await database.$executeRaw`
    UPDATE "ChainTracker" SET "leaseUntil" = now()
     WHERE "chainId" = ${chainId} AND "leaseOwner" = ${replicaId}::uuid`;
}
