import { createSocket, type Socket } from 'node:dgram';
import { once, setMaxListeners } from 'node:events';
import { stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { guardedLookup, type DnsOptions, resolveAll, resolvePublicHost } from './guarded-lookup';

/** Reacts to DNS queries. */
let respond: (query: Buffer) => Buffer | undefined;
let server: Socket;
/** A server whose responses may take any time. */
let names: DnsOptions;
beforeAll(async () => {
  server = createSocket('udp4');
  server.on('message', (query, { port }) => {
    const response = respond(query);
    if (response !== undefined) server.send(response, port, '127.0.0.1');
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  names = { servers: [`127.0.0.1:${String(server.address().port)}`], timeoutMs: 600_000 };
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

/** A response with one address of the sixth version. */
function recordOf(query: Buffer, address: readonly number[]): Buffer {
  const header = Buffer.from([0, 0, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
  query.copy(header, 0, 0, 2);
  const record = Buffer.from([0xc0, 12, 0, 28, 0, 1, 0, 0, 0, 60, 0, 16, ...address]);
  return Buffer.concat([header, questionOf(query), record]);
}

describe('the lookup of a public host', () => {
  it('returns the addresses of the DNS servers, also when the host has none of one family', async () => {
    respond = (query) => responseTo(query, typeOf(questionOf(query)) === A ? [93, 184, 216, 34] : undefined);
    const found = await resolvePublicHost({ hostname: 'hooks.example.com', signal: never }, names);
    expect(found).toEqual([{ address: '93.184.216.34', family: 4 }]);
  });

  it('fails for a host without addresses', async () => {
    respond = (query) => responseTo(query, undefined);
    await expect(resolvePublicHost({ hostname: 'none.example.com', signal: never }, names)).rejects.toMatchObject({
      code: 'ENODATA',
    });
  });

  it('leaves the threads of the process free while many DNS servers are silent, and ends with the attempt', async () => {
    respond = () => undefined;
    const stopping = new AbortController();
    setMaxListeners(0, stopping.signal);
    let ended = 0;
    const lookups = Array.from({ length: 32 }, async (_, index) => {
      const query = { hostname: `silent${String(index)}.example.com`, signal: stopping.signal };
      await resolvePublicHost(query, names).finally(() => (ended += 1));
    });
    const settled = Promise.allSettled(lookups);
    await wait(20);
    await Promise.all(Array.from({ length: 8 }, () => stat(__filename)));
    expect(ended).toBe(0);
    stopping.abort();
    const results = await settled;
    for (const result of results) expect(result).toMatchObject({ status: 'rejected' });
  });

  it('gives up after some seconds', async () => {
    respond = () => undefined;
    const { servers = [] } = names;
    const lookup = resolvePublicHost({ hostname: 'silent.example.com', signal: never }, { servers });
    await expect(lookup).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
  });
});

describe('the lookup of a connection', () => {
  const PUBLIC: LookupAddress = { address: '93.184.216.34', family: 4 };
  const SECOND: LookupAddress = { address: '2606:2800::1', family: 6 };
  const REFUSED: LookupAddress = { address: '10.0.0.1', family: 4 };
  const refusal = new Error('refused');

  /** The arguments of the callback. */
  const resultOf = (resolve: () => Promise<readonly LookupAddress[]>, options: LookupOptions = {}) =>
    new Promise<readonly unknown[]>((done) => {
      const isAllowed = (address: string) => address !== REFUSED.address;
      const lookup = guardedLookup({ resolve, isAllowed, refuse: () => refusal });
      lookup('hooks.example.com', options, (...received) => done(received));
    });
  const found =
    (...addresses: LookupAddress[]) =>
    () =>
      Promise.resolve(addresses);

  it('returns the first address, or all where all are wanted', async () => {
    expect(await resultOf(found(PUBLIC, SECOND))).toEqual([null, PUBLIC.address, 4]);
    expect(await resultOf(found(SECOND, PUBLIC))).toEqual([null, SECOND.address, 6]);
    expect(await resultOf(found(PUBLIC, SECOND), { all: true })).toEqual([null, [PUBLIC, SECOND]]);
    expect(await resultOf(found(PUBLIC, SECOND), { all: false })).toEqual([null, PUBLIC.address, 4]);
  });

  it('refuses a host without an address, and one with an address that is not allowed', async () => {
    for (const all of [true, false]) {
      for (const addresses of [[], [REFUSED], [PUBLIC, REFUSED], [REFUSED, PUBLIC]])
        expect(await resultOf(found(...addresses), { all })).toEqual([refusal, '', 4]);
    }
  });

  it('passes a failure of the resolver on', async () => {
    const failure = new Error('ENOTFOUND');
    expect(await resultOf(() => Promise.reject(failure))).toEqual([failure, '', 4]);
  });
});

describe('the resolver of the system', () => {
  it('returns the addresses of a host with their families', async () => {
    const addresses = await resolveAll('localhost');
    expect(addresses).not.toHaveLength(0);
    for (const { address, family } of addresses)
      expect([`127.0.0.1 4`, '::1 6']).toContain(`${address} ${String(family)}`);
  });

  it('fails for a name that no host can have', async () => {
    await expect(resolveAll('a'.repeat(300))).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
  });
});

describe('queries to DNS servers', () => {
  it('return the addresses of both families, in this order', async () => {
    const v6 = [...Buffer.from('26062800000000000000000000000001', 'hex')];
    respond = (query) =>
      typeOf(questionOf(query)) === A ? responseTo(query, [93, 184, 216, 34]) : recordOf(query, v6);
    expect(await resolvePublicHost({ hostname: 'both.example.com', signal: never }, names)).toEqual([
      { address: '93.184.216.34', family: 4 },
      { address: '2606:2800::1', family: 6 },
    ]);
  });

  it('are not sent for an attempt that has ended, whose listener is removed afterwards', async () => {
    let queries = 0;
    respond = (query) => {
      queries += 1;
      return responseTo(query, [93, 184, 216, 34]);
    };
    const ended = AbortSignal.abort(new Error('ended before'));
    await expect(resolvePublicHost({ hostname: 'late.example.com', signal: ended }, names)).rejects.toThrow(
      'ended before',
    );
    expect(queries).toBe(0);
    const open = new AbortController();
    const [added, removed] = [
      jest.spyOn(open.signal, 'addEventListener'),
      jest.spyOn(open.signal, 'removeEventListener'),
    ];
    await resolvePublicHost({ hostname: 'open.example.com', signal: open.signal }, names);
    expect(added.mock.calls).toEqual([['abort', expect.any(Function), { once: true }]]);
    expect(removed.mock.calls).toEqual([['abort', added.mock.calls[0]![1]]]);
  });
});
