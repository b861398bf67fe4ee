import type { Transaction } from '../../persistence/database';
import type { TrackerDeps } from './tracker-deps';

/** How long a chain stays without a tracker when the replica that reads it dies. */
const LEASE_SECONDS = 30;

/** The lease ended while the pass ran, and another replica may be reading the chain: nothing of the pass is kept. */
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

/** Holds the lease's row to the end of the transaction: what the pass writes is written by one replica alone. */
export async function requireLease(tx: Transaction, replicaId: string, chainId: number): Promise<void> {
  const held = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM "ChainTracker"
     WHERE "chainId" = ${chainId} AND "leaseOwner" = ${replicaId}::uuid AND "leaseUntil" > now() FOR UPDATE`;
  if (held.length === 0) throw new LeaseLostError(chainId);
}

/** Lets another replica take the chain at once. */
export async function releaseLease({ database, replicaId }: LeaseDeps, chainId: number): Promise<void> {
  await database.$executeRaw`
    UPDATE "ChainTracker" SET "leaseUntil" = now()
     WHERE "chainId" = ${chainId} AND "leaseOwner" = ${replicaId}::uuid`;
}
