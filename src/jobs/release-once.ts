import type { Pool, PoolClient } from 'pg';

/** Without a client there is nothing to release either. */
type ConnectCallback = (error?: Error, client?: PoolClient, release?: Release) => void;
type Release = (error?: Error | boolean) => void;

/**
 * Makes the second release of a connection harmless. graphile-worker gives the connection that it listens on back twice
 * when the database goes away while it is stopping, and the pool would throw out of nowhere.
 *
 * @see https://github.com/graphile/worker/blob/main/src/main.ts (`listenForChanges`)
 */
export function releaseOnce(pool: Pool): Pool {
  const connect = pool.connect.bind(pool) as (callback?: ConnectCallback) => Promise<PoolClient> | undefined;
  const tolerant = (callback?: ConnectCallback): Promise<PoolClient> | undefined =>
    connect(callback && ((error, client, release) => callback(error, client, release && once(release))));
  return Object.assign(pool, { connect: tolerant });
}

function once(release: Release): Release {
  let released = false;
  return (error) => {
    if (released) return;
    released = true;
    release(error);
  };
}
