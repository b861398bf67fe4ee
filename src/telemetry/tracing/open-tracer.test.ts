import { startTraceReceiver, type TraceReceiver, tracerTo } from '../../../test/telemetry/trace-receiver';
import type { SpanDescription } from './tracer';
import { traceFields } from './tracer';

const server: SpanDescription = {
  name: 'GET /actions/:id',
  kind: 'server',
  attributes: { 'http.route': '/actions/:id' },
};
const inner: SpanDescription = { name: 'inner', kind: 'internal' };
const UNREACHABLE = 'http://127.0.0.1:9';

let receiver: TraceReceiver;
beforeEach(async () => {
  receiver = await startTraceReceiver();
});
afterEach(() => receiver.close());

test('spans are sent with their parents, attributes and outcome, and errors without their messages', async () => {
  const tracer = tracerTo(`${receiver.endpoint}/`, { headers: { 'x-token': 'a token' } });
  const root = tracer.start(server);
  await tracer.within(root, async () => {
    await tracer.run(inner, () => Promise.resolve());
    await expect(
      tracer.run({ ...inner, name: 'failing' }, () => Promise.reject(new Error('canary'))),
    ).rejects.toThrow();
    expect(() =>
      tracer.run({ ...inner, name: 'throwing' }, () => {
        throw new Error('canary');
      }),
    ).toThrow();
    expect(tracer.run({ ...inner, name: 'synchronous' }, () => 7)).toBe(7);
  });
  root.end({ failed: false, attributes: { 'http.response.status_code': 200 } });
  root.end({ failed: true });
  await tracer.close();
  const { traceId, spanId, attributes, status } = receiver.find('GET /actions/:id');
  expect(attributes).toEqual({ 'http.route': '/actions/:id', 'http.response.status_code': 200 });
  expect(status.code).toBe(0);
  for (const [name, code] of [
    ['inner', 0],
    ['failing', 2],
    ['throwing', 2],
    ['synchronous', 0],
  ] as const) {
    expect(receiver.find(name)).toMatchObject({ traceId, parentSpanId: spanId, status: { code } });
  }
  expect(receiver.spans).toHaveLength(5);
  expect(receiver.resources[0]).toMatchObject({ 'service.name': 'afluente', 'service.version': '1' });
  expect(receiver.headers[0]).toMatchObject({ 'x-token': 'a token' });
  expect(receiver.text()).toMatch(/^\/v1\/traces /);
  expect(receiver.text()).not.toContain('canary');
});

test('a trace goes on in another process, and a malformed header starts a new one', async () => {
  const tracer = tracerTo(receiver.endpoint);
  const first = tracer.start(server);
  tracer.start(inner, first.traceparent).end({ failed: false });
  first.end({ failed: false });
  for (const header of ['', 'canary', '00-0-0-01', `${first.traceparent}-more`, first.traceparent.toUpperCase()]) {
    tracer.start({ ...inner, name: 'alone' }, header).end({ failed: false });
  }
  await tracer.close();
  expect(receiver.find('inner').parentSpanId).toBe(receiver.find(server.name).spanId);
  for (const span of receiver.spans.filter(({ name }) => name === 'alone')) {
    expect(span.parentSpanId ?? '').toBe('');
    expect(span.traceId).not.toBe(receiver.find(server.name).traceId);
  }
});

test('requests that are not sampled send nothing, here and in other processes', async () => {
  const tracer = tracerTo(receiver.endpoint, { sampleRatio: 0 });
  const root = tracer.start(server);
  expect(root.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  await tracer.within(root, () => tracer.run(inner, () => Promise.resolve()));
  root.end({ failed: false });
  const elsewhere = tracerTo(receiver.endpoint);
  elsewhere.start(inner, root.traceparent).end({ failed: false });
  await Promise.all([tracer.close(), elsewhere.close()]);
  expect(receiver.spans).toEqual([]);
});

test('concurrent requests keep their own traces, and lines of the log have their ids', async () => {
  const tracer = tracerTo(receiver.endpoint);
  const ids = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      const root = tracer.start({ ...server, name });
      const fields = await tracer.within(root, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return traceFields(tracer);
      });
      root.end({ failed: false });
      return fields;
    }),
  );
  expect(traceFields(tracer)).toEqual({});
  await tracer.close();
  for (const [index, name] of ['a', 'b', 'c'].entries()) {
    const { traceId, spanId } = receiver.find(name);
    expect(ids[index]).toEqual({ traceId, spanId });
  }
});

test('an unreachable receiver is warned about once, costs no time, and does not hold up the end of the process', async () => {
  const warnings: string[] = [];
  const tracer = tracerTo(UNREACHABLE, { warn: (message) => warnings.push(message), delayMs: 1 });
  const startedAt = performance.now();
  // More than the queue holds: the others are dropped.
  for (let count = 0; count < 5000; count += 1) tracer.run(inner, () => undefined);
  expect(performance.now() - startedAt).toBeLessThan(5000);
  await tracer.close();
  expect(performance.now() - startedAt).toBeLessThan(20_000);
  expect(warnings).toEqual(['traces could not be sent to OTEL_EXPORTER_OTLP_ENDPOINT and are dropped']);
});
