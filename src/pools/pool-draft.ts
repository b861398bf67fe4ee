import { concentratedDraft } from './concentrated-draft';
import { constantProductHops, type LiveHop } from './live-hop';
import type { PoolDraft, PoolHint } from './pool-knowledge';
import type { Pool } from './pool';
import { reservesRead } from './pool-state';

export const createPoolDraft = (pool: Pool, hint: PoolHint | undefined): PoolDraft =>
  pool.fee === undefined ? constantProductDraft(pool) : concentratedDraft({ pool, fee: pool.fee, hint });

function constantProductDraft(pool: Pool): PoolDraft {
  let hops: readonly LiveHop[] | undefined;
  const learn = (answer: unknown): void => {
    const [reserve0, reserve1] = Array.isArray(answer) ? (answer as readonly unknown[]) : [];
    const known = typeof reserve0 === 'bigint' && typeof reserve1 === 'bigint';
    hops = known ? constantProductHops(pool, { reserve0, reserve1 }) : [];
  };
  return {
    questions: () => (hops === undefined ? [{ read: reservesRead(pool), learn }] : []),
    hops: () => hops ?? [],
    widened: () => undefined,
    hint: undefined,
  };
}
