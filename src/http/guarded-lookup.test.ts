import { createSocket, type Socket } from 'node:dgram';
import { once, setMaxListeners } from 'node:events';
import { stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { resolvePublicHost } from './guarded-lookup';

/** Reacts to DNS queries. */
let respond: (query: Buffer) => Buffer | undefined;
let server: Socket;
let servers: readonly string[];
beforeAll(async () => {
  server = createSocket('udp4');
  server.on('message', (query, { port }) => {
    const response = respond(query);
    if (response !== undefined) server.send(response, port, '127.0.0.1');
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  servers = [`127.0.0.1:${String(server.address().port)}`];
});
afterAll(() => server.close());

const A = 1;
const never = new AbortController().signal;
const typeOf = (question: Buffer): number => question.readUInt16BE(question.length - 4);

/** The question of a query, without its additional records: labels up to a zero byte, type and class. */
function questionOf(query: Buffer): Buffer {
  const end = query.indexOf(0, 12) + 5;
  return query.subarray(12, end);
}

function responseTo(query: Buffer, address: readonly number[] | undefined): Buffer {
  const header = Buffer.from([0, 0, 0x81, 0x80, 0, 1, 0, address === undefined ? 0 : 1, 0, 0, 0, 0]);
  query.copy(header, 0, 0, 2);
  const record = Buffer.from([0xc0, 12, 0, A, 0, 1, 0, 0, 0, 60, 0, 4, ...(address ?? [])]);
  return Buffer.concat([header, questionOf(query), ...(address === undefined ? [] : [record])]);
}

describe('the lookup of a public host', () => {
  it('returns the addresses of the DNS servers, also when the host has none of one family', async () => {
    respond = (query) => responseTo(query, typeOf(questionOf(query)) === A ? [93, 184, 216, 34] : undefined);
    const found = await resolvePublicHost({ hostname: 'hooks.example.com', signal: never }, servers);
    expect(found).toEqual([{ address: '93.184.216.34', family: 4 }]);
  });

  it('fails for a host without addresses', async () => {
    respond = (query) => responseTo(query, undefined);
    await expect(resolvePublicHost({ hostname: 'none.example.com', signal: never }, servers)).rejects.toMatchObject({
      code: 'ENODATA',
    });
  });

  it('leaves the threads of the process free while many DNS servers are silent, and ends with the attempt', async () => {
    respond = () => undefined;
    const stopping = new AbortController();
    setMaxListeners(0, stopping.signal);
    const names = Array.from({ length: 32 }, (_, index) => `silent${String(index)}.example.com`);
    const lookups = names.map((hostname) => resolvePublicHost({ hostname, signal: stopping.signal }, servers));
    const ended = Promise.allSettled(lookups);
    await wait(20);
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 8 }, () => stat(__filename)));
    expect(performance.now() - startedAt).toBeLessThan(1000);
    stopping.abort();
    const results = await ended;
    expect(performance.now() - startedAt).toBeLessThan(1500);
    for (const result of results) expect(result).toMatchObject({ status: 'rejected' });
  });

  it('gives up after some seconds', async () => {
    respond = () => undefined;
    const lookup = resolvePublicHost({ hostname: 'silent.example.com', signal: never }, servers);
    await expect(lookup).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
  });
});
