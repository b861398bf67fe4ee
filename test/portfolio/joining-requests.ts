import type { Pool, QueryConfig } from 'pg';

/** Requests for the sections of wallets that join one computation. */
export interface JoiningRequests {
  /** The pool, which sees a request when it reads the states of snapshots: it joins a computation right after that. */
  readonly pool: Pool;
  /** From now on `haveJoined` waits for so many requests. */
  expect(requests: number): void;
  haveJoined(): Promise<void>;
}

/** Lets a test hold a computation until all requests have joined it. */
export function joiningRequests(pool: Pool): JoiningRequests {
  let missing = 0;
  let joined = Promise.resolve();
  let end: () => void = () => undefined;
  const query = async (statement: string | QueryConfig, values?: unknown[]): Promise<unknown> => {
    const result: unknown = await (typeof statement === 'string'
      ? pool.query(statement, values)
      : pool.query(statement));
    if (typeof statement !== 'string' && statement.name === 'snapshot-states') {
      missing -= 1;
      if (missing === 0) setImmediate(end);
    }
    return result;
  };
  return {
    pool: new Proxy(pool, { get: (target, key) => (key === 'query' ? query : (Reflect.get(target, key) as unknown)) }),
    expect(requests) {
      missing = requests;
      joined = new Promise((resolve) => (end = resolve));
    },
    haveJoined: () => joined,
  };
}
