import fastify, { type FastifyInstance } from 'fastify';
import { beginInTurns } from './begin-in-turns';

/** Networks of the requests in the order in which they began. */
let begun: string[];
let app: FastifyInstance;
const start = async (maxWaitMs = 10_000, limits = {}): Promise<void> => {
  begun = [];
  app = fastify();
  beginInTurns(app, maxWaitMs, limits);
  app.addHook('onSend', ({ ip }, { statusCode }, ...[payload, done]) => {
    if (statusCode === 503) {
      begun.push(`refusal of ${ip}`);
      for (const until = performance.now() + 0.3; performance.now() < until;);
    }
    done(null, payload);
  });
  app.addHook('onRequest', ({ ip }, _reply, done) => {
    begun.push(ip);
    for (const until = performance.now() + 0.3; performance.now() < until;);
    done();
  });
  app.get('/', () => 'served');
  await app.ready();
};
beforeEach(() => start());
afterEach(() => app.close());

const send = (remoteAddress: string) => app.inject({ url: '/', remoteAddress });

describe('requests that arrive together', () => {
  it('begin over several iterations of the event loop, and all are served', async () => {
    const { statuses, maxInIteration } = await sendFlood(100);
    expect(statuses).toEqual(Array.from({ length: 100 }, () => 200));
    expect(maxInIteration).toBeLessThan(20);
  });

  it('are refused over several iterations of the event loop when too many of their network wait', async () => {
    await app.close();
    await start(10_000, { maxWaiting: 20 });
    const { statuses, maxInIteration } = await sendFlood(150);
    expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(100);
    expect(maxInIteration).toBeLessThan(20);
  });

  it('lose their connection when a multiple of that waits, and those of another network do not', async () => {
    await app.close();
    await start(10_000, { maxWaiting: 20, maxConnections: 40 });
    const ended = Array.from({ length: 100 }, () => send('192.0.2.1').catch(() => 'ended'));
    expect(await statusesOf(5, '192.0.2.2')).toEqual([200]);
    expect((await Promise.all(ended)).filter((end) => end === 'ended').length).toBeGreaterThan(30);
  });

  it('of one network delay that of another one by a few of them', async () => {
    const flood = Array.from({ length: 100 }, () => send('192.0.2.1'));
    await Promise.all([...flood, send('192.0.2.2'), send('2001:db8::1'), send('2001:db8::2')]);
    expect(begun).toHaveLength(103);
    expect(begun.indexOf('192.0.2.2')).toBeLessThan(20);
    expect(begun.indexOf('2001:db8::1')).toBeLessThan(20);
  });

  it('begin at once when few have arrived before', async () => {
    for (let count = 0; count < 3; count += 1) {
      const response = send('192.0.2.1');
      await new Promise((resolve) => setImmediate(resolve));
      expect(begun).toHaveLength(count + 1);
      await response;
    }
  });

  it('do not begin once their client has left', async () => {
    const flood = Promise.all(Array.from({ length: 100 }, () => send('2001:db8::1')));
    const leaving = new AbortController();
    const left = app.inject({ url: '/', remoteAddress: '2001:db8::2', signal: leaving.signal });
    await new Promise((resolve) => setImmediate(resolve));
    leaving.abort();
    await expect(left).rejects.toThrow();
    await flood;
    await send('2001:db8::1');
    expect(new Set(begun)).toEqual(new Set(['2001:db8::1']));
  });

  it('are refused when they would wait too long', async () => {
    await app.close();
    await start(20);
    expect(await statusesOf(300, '192.0.2.1')).toEqual([200, 503]);
  });

  it('are refused when many of their network wait, and those of another network are not', async () => {
    await app.close();
    await start(10_000, { maxWaiting: 100 });
    const statuses = await Promise.all([statusesOf(200, '192.0.2.1'), statusesOf(5, '192.0.2.2')]);
    expect(statuses).toEqual([[200, 503], [200]]);
  });
});

/** Sends requests of one network at once; `maxInIteration` of them began or were refused in one iteration of the event loop. */
async function sendFlood(
  count: number,
): Promise<{ readonly statuses: readonly number[]; readonly maxInIteration: number }> {
  const iterations: number[] = [];
  let counter = setImmediate(function countBegun() {
    iterations.push(begun.length);
    counter = setImmediate(countBegun);
  });
  const responses = await Promise.all(Array.from({ length: count }, () => send('192.0.2.1')));
  clearImmediate(counter);
  const perIteration = iterations.map((total, index) => total - (iterations[index - 1] ?? 0));
  return { statuses: responses.map(({ statusCode }) => statusCode), maxInIteration: Math.max(...perIteration) };
}

async function statusesOf(count: number, network: string): Promise<readonly number[]> {
  const responses = await Promise.all(Array.from({ length: count }, () => send(network)));
  return [...new Set(responses.map(({ statusCode }) => statusCode))].sort((a, b) => a - b);
}
