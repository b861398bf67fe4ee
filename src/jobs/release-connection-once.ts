import type { Pool, PoolClient } from 'pg';

/** Called with an error, or with a client and its release function. */
type ConnectCallback = (error?: Error, client?: PoolClient, release?: Release) => void;
type Release = (error?: Error | boolean) => void;

/**
 * Makes a second release of a connection harmless. graphile-worker releases its listening connection twice when the
 * database disconnects during a stop, and the pool would throw an uncaught error.
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
