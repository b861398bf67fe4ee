import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { type Edge, startEdge } from './edge';

const SECRET = 'a5'.repeat(32);
const SIGNED = 'signed by the ramp';

let edge: Edge;
const taken: { readonly ramp: string; readonly rawBody: Buffer; readonly signature?: unknown }[] = [];
let failure: Error | undefined;

beforeAll(async () => {
  edge = await startEdge({
    rampCallbacks: {
      receivePrimaryCallback({ headers, rawBody }) {
        if (failure !== undefined) return Promise.reject(failure);
        taken.push({ ramp: 'primary', rawBody, signature: headers['signature'] });
        return Promise.resolve(headers['signature'] === SIGNED);
      },
      isSecret: (candidate) => candidate === SECRET,
      receiveSecondaryCallback(rawBody) {
        if (failure !== undefined) return Promise.reject(failure);
        taken.push({ ramp: 'secondary', rawBody });
        return Promise.resolve();
      },
    },
  });
});
afterAll(() => edge.close());
beforeEach(() => {
  taken.length = 0;
  failure = undefined;
});

interface Sent {
  readonly body?: Uint8Array<ArrayBuffer> | string;
  readonly headers?: Record<string, string>;
  readonly method?: string;
}

/** Sends a callback like a ramp, without an API key. */
async function send(path: string, { body = '{}', headers = {}, method = 'POST' }: Sent = {}) {
  const response = await fetch(edge.url + path, { method, headers, ...(method === 'POST' ? { body } : {}) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

/** Announces a body of more than 1 MB and sends none of it, so that the response cannot depend on the body. */
async function announce(path: string) {
  const sending = request(edge.url + path, { method: 'POST', headers: { 'content-length': 1_100_000 } });
  sending.on('error', () => undefined).flushHeaders();
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  const body: any = await json(response);
  sending.destroy();
  return { status: response.statusCode, body, text: JSON.stringify(body) };
}

const PRIMARY = '/callbacks/primary-ramp';
const SECONDARY = `/callbacks/secondary-ramp/${SECRET}`;

/** A body that changes when it is parsed and serialized again. */
const BODY = new TextEncoder().encode('{ "b": 1,\r\n  "a": "é\\u00e9",  "__proto__": {} }\n');

describe.each([
  ['the primary ramp', PRIMARY],
  ['the secondary ramp', SECONDARY],
])('a callback of %s', (_, path) => {
  it.each(['application/json', 'application/json; charset=latin1', 'text/plain', undefined])(
    'is accepted unchanged as %s, without an API key',
    async (type) => {
      const headers = { signature: SIGNED, ...(type === undefined ? {} : { 'content-type': type }) };
      const response = await send(path, { body: BODY, headers });
      expect([response.status, response.body]).toEqual([200, { received: true }]);
      expect(taken.map(({ rawBody }) => rawBody)).toEqual([Buffer.from(BODY)]);
    },
  );

  it('is accepted with an invalid API key, which is ignored', async () => {
    const response = await send(path, { headers: { signature: SIGNED, 'x-api-key': 'wrong' } });
    expect(response.status).toBe(200);
  });

  it('is refused with the error envelope when it is larger than 1 MB', async () => {
    const response = await announce(path);
    expect([response.status, response.body.error.code]).toEqual([413, 'VALIDATION_ERROR']);
    expect(taken).toEqual([]);
  });

  it('must be a POST', async () => {
    const response = await send(path, { method: 'GET' });
    expect([response.status, response.body.error.code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(response.headers.get('allow')).toBe('OPTIONS, POST');
  });

  it('is charged to the address, and ends in 429', async () => {
    const before = edge.charges.length;
    await send(path, { headers: { signature: SIGNED } });
    expect(edge.charges.slice(before)).toEqual([{ subject: { kind: 'address', address: '127.0.0.1' }, cost: 1 }]);
    const limited = await startEdge({ limit: 1 });
    await fetch(limited.url + path, { method: 'POST', body: '{}' });
    const refused = await fetch(limited.url + path, { method: 'POST', body: '{}' });
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: { code: 'RATE_LIMITED' } });
    await limited.close();
  });

  it('fails with 500 when it could not be processed, so that the ramp repeats it', async () => {
    failure = new Error('the database is gone');
    const response = await send(path, { headers: { signature: SIGNED } });
    expect([response.status, response.body.error.code]).toEqual([500, 'INTERNAL_SERVER_ERROR']);
  });
});

it('a callback without a valid signature of the primary ramp is refused', async () => {
  const response = await send(PRIMARY, { headers: { signature: 'forged' } });
  expect([response.status, response.body.error.code]).toEqual([401, 'AUTHENTICATION_REQUIRED']);
});

it('a path with a wrong secret is not found, for any request', async () => {
  for (const wrong of ['x', SECRET.slice(1), `${SECRET}0`, SECRET.toUpperCase(), '%00']) {
    const response = await announce(`/callbacks/secondary-ramp/${wrong}`);
    expect([response.status, response.body.error.code]).toEqual([404, 'NOT_FOUND']);
    expect(response.text).not.toContain(wrong);
  }
  for (const path of ['/callbacks/secondary-ramp', '/callbacks/secondary-ramp/', `${SECONDARY}/more`, '/callbacks']) {
    expect((await send(path)).status).toBe(404);
  }
  expect(taken).toEqual([]);
});

it('a callback leaves no secret, body or signature in the log, whatever its outcome', async () => {
  const before = edge.log.length;
  const canary = { body: '{"canary":"canary-in-body"}', headers: { signature: 'canary-in-signature' } };
  await send(SECONDARY, canary);
  await send(PRIMARY, canary);
  await send(SECONDARY, { method: 'GET' });
  failure = new Error('the database is gone');
  await send(SECONDARY, canary);
  while (edge.log.slice(before).filter(({ msg }) => msg === 'request').length < 4) await new Promise(setImmediate);
  const logged = JSON.stringify(edge.log);
  expect(logged).toContain('/callbacks/secondary-ramp/:secret');
  expect(logged).toContain('the database is gone');
  for (const secret of [SECRET, 'canary']) expect(logged).not.toContain(secret);
});
