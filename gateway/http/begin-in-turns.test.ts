import fastify, { type FastifyInstance } from 'fastify';
import { beginInTurns } from './begin-in-turns';

/** Networks of the requests in the order in which they began. */
let begun: string[];
let app: FastifyInstance;
beforeEach(async () => {
  begun = [];
  app = fastify();
  beginInTurns(app);
  app.addHook('onRequest', ({ ip }, _reply, done) => {
    begun.push(ip);
    for (const until = performance.now() + 0.3; performance.now() < until;);
    done();
  });
  app.get('/', () => 'served');
  await app.ready();
});
afterEach(() => app.close());

const send = (remoteAddress: string) => app.inject({ url: '/', remoteAddress });

describe('requests that arrive together', () => {
  it('begin over several iterations of the event loop, and all are served', async () => {
    const iterations: number[] = [];
    let counter = setImmediate(function count() {
      iterations.push(begun.length);
      counter = setImmediate(count);
    });
    const responses = await Promise.all(Array.from({ length: 100 }, () => send('192.0.2.1')));
    clearImmediate(counter);
    expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(100);
    const perIteration = iterations.map((count, index) => count - (iterations[index - 1] ?? 0));
    expect(Math.max(...perIteration)).toBeLessThan(20);
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
});
