import { type ProbedConnection, probeDatabase, sharesSessions } from './probe-database';

/** Servers 1 to 3 behind a pooler. `mode` decides when a connection gives its server back. */
function pooler(mode: 'session' | 'transaction') {
  const free = [3, 2, 1];
  let stated = 1000;
  const connect = (): Promise<ProbedConnection> => {
    let held: number | undefined;
    const keep = { inTransaction: mode === 'session' };
    const run = (): number => {
      const server = held ?? free.pop()!;
      if (keep.inTransaction) held = server;
      else free.push(server);
      return server;
    };
    return Promise.resolve({
      statedPid: (stated += 1),
      pid: () => Promise.resolve(run()),
      begin() {
        keep.inTransaction = true;
        run();
        return Promise.resolve();
      },
      end() {
        if (held !== undefined) free.push(held);
        return Promise.resolve();
      },
    });
  };
  return connect;
}

test('a pooler in transaction mode is recognised', async () => {
  await expect(sharesSessions(pooler('transaction'))).resolves.toBe(true);
});

test('a pooler in statement mode, which refuses transactions, is recognised', async () => {
  const connectTo = pooler('transaction');
  const begin = () => Promise.reject(new Error('transaction blocks not allowed in statement pooling mode'));
  await expect(sharesSessions(async () => ({ ...(await connectTo()), begin }))).resolves.toBe(true);
});

test('a pooler in session mode may be used', async () => {
  await expect(sharesSessions(pooler('session'))).resolves.toBe(false);
});

test('an unreachable server is reported with its reason and without the password', async () => {
  const probe = await probeDatabase('postgresql://user:hunter2@127.0.0.1:1/name');
  expect(probe).toMatchObject({ outcome: 'unreachable', reason: expect.stringContaining('ECONNREFUSED') as string });
  expect(JSON.stringify(probe)).not.toContain('hunter2');
});
