import { openDatabase, type OpenDatabase } from '../../src/persistence/database';
import type { OpenTracer } from '../../src/telemetry/tracing/open-tracer';
import { traceQueries } from '../../src/telemetry/tracing/trace-queries';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { startTraceReceiver, type TraceReceiver, tracerTo } from './trace-receiver';

let test: TestDatabase;
let traced: OpenDatabase;
let receiver: TraceReceiver;
let tracer: OpenTracer;
beforeAll(async () => {
  test = await createTestDatabase();
  receiver = await startTraceReceiver();
  tracer = tracerTo(receiver.endpoint);
  // One connection: requests wait for it.
  traced = openDatabase({ url: test.url, poolSize: 1, log: { warn: () => undefined } });
  traceQueries(traced.pool, tracer);
});
afterAll(async () => {
  await traced.close();
  await tracer.close();
  await receiver.close();
  await test.drop();
});

it('work outside of a request joins no trace, also when it waited for the connection of a request', async () => {
  const root = tracer.start({ name: 'busy', kind: 'server' });
  const client = await tracer.within(root, () => traced.pool.connect());
  const present = new Promise((resolve) => {
    traced.pool.connect((_error, _client, release) => {
      resolve(tracer.current());
      release();
    });
  });
  tracer.within(root, () => client.release());
  expect(await present).toBeUndefined();
});

it('each statement is a span of the request that ran it, also when it waited for the connection of another', async () => {
  const request = async (name: string): Promise<void> => {
    const root = tracer.start({ name, kind: 'server' });
    await tracer.within(root, async () => {
      await traced.pool.query('SELECT $1::text', ['canary']);
      await traced.database.customer.findMany({ where: { name: 'canary' } });
      await traced.database.$transaction((tx) => tx.tokenMetadata.deleteMany({ where: { chainId: 0 } }));
      await traced.pool.query("SELECT 'canary' FROM no_such_table").catch(() => undefined);
    });
    root.end({ failed: false });
  };
  await traced.pool.query('SELECT 1');
  await Promise.all(['one', 'two', 'three'].map(request));
  await tracer.close();
  for (const name of ['one', 'two', 'three']) {
    const { traceId, spanId } = receiver.find(name);
    const statements = receiver.spans.filter((span) => span.traceId === traceId && span.name.startsWith('postgres '));
    expect(statements.every(({ parentSpanId }) => parentSpanId === spanId)).toBe(true);
    const names = statements.map((span) => span.name);
    expect(names.filter((each) => each === 'postgres SELECT')).toHaveLength(3);
    expect(names).toEqual(expect.arrayContaining(['postgres BEGIN', 'postgres DELETE', 'postgres COMMIT']));
    expect(statements.filter(({ status }) => status.code === 2)).toHaveLength(1);
  }
  expect(receiver.text()).not.toContain('canary');
  // A statement outside of a request is no trace.
  const traces = new Set(receiver.spans.map(({ traceId }) => traceId));
  expect(traces.size).toBe(3);
});
