import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { until } from '../../../test/resilience/until';
import { createRemoteKeys } from './remote-keys';

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

let server: Server;
let url: string;
let fetches: number;
let tests = 0;
let published: unknown;
let pair: KeyPair;
let now: number;

beforeAll(async () => {
  server = createServer((request, response) => {
    if (url.endsWith(request.url ?? '')) fetches += 1; // not the last refresh of the test before
    if (published === undefined) response.writeHead(503).end();
    else response.end(JSON.stringify(published));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

beforeEach(async () => {
  fetches = 0;
  tests += 1;
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/${String(tests)}/jwks.json`;
  pair = await generateKeyPair('ES256');
  published = await keySet('first', pair);
  now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => now);
});
afterEach(() => jest.restoreAllMocks());

const keySet = async (kid: string, { publicKey }: KeyPair) => ({ keys: [{ ...(await exportJWK(publicKey)), kid }] });

const tokenOf = (kid: string, { privateKey }: KeyPair = pair): Promise<string> =>
  new SignJWT({}).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey);

test('fetches the keys once for many tokens', async () => {
  const keys = createRemoteKeys(url);
  for (let token = 0; token < 5; token += 1) await jwtVerify(await tokenOf('first'), keys);
  expect(fetches).toBe(1);
});

test('the last fetched keys remain in use while the provider is unavailable', async () => {
  const keys = createRemoteKeys(url);
  await jwtVerify(await tokenOf('first'), keys);
  published = undefined;
  for (let day = 0; day < 3; day += 1) {
    now += 86_400_000;
    await expect(jwtVerify(await tokenOf('first'), keys)).resolves.toBeDefined();
  }
});

test('a hundred invented key ids cause at most one fetch in 30 s, in an outage too', async () => {
  const keys = createRemoteKeys(url);
  await jwtVerify(await tokenOf('first'), keys);
  now += 29_999;
  for (let id = 0; id < 50; id += 1)
    await expect(jwtVerify(await tokenOf(`invented ${String(id)}`), keys)).rejects.toThrow();
  expect(fetches).toBe(1);
  published = undefined;
  now += 1;
  for (let id = 0; id < 50; id += 1) {
    const refusal = expect(jwtVerify(await tokenOf(`invented ${String(id)}`), keys)).rejects;
    await refusal.toMatchObject({ name: expect.stringMatching(/^J/) as string });
  }
  expect(fetches).toBe(2);
});

test('accepts a new key as soon as the cooldown is over', async () => {
  const keys = createRemoteKeys(url);
  await jwtVerify(await tokenOf('first'), keys);
  const next = await generateKeyPair('ES256');
  published = await keySet('second', next);
  now += 30_000;
  await expect(jwtVerify(await tokenOf('second', next), keys)).resolves.toBeDefined();
});

test('a key that the provider has withdrawn stops working within minutes', async () => {
  const keys = createRemoteKeys(url);
  await jwtVerify(await tokenOf('first'), keys);
  published = await keySet('second', await generateKeyPair('ES256'));
  now += 300_001;
  await jwtVerify(await tokenOf('first'), keys); // starts the refresh, without waiting for it
  const token = await tokenOf('first');
  const isRejected = () =>
    jwtVerify(token, keys).then(
      () => false,
      () => true,
    );
  await until('the withdrawn key is rejected', isRejected);
  expect(fetches).toBe(2);
});

test.each([
  ['an outage', undefined],
  ['a document that is no key set', { hello: 'world' }],
])('without any key yet, %s is SERVICE_UNAVAILABLE and is tried again a second later', async (_, document) => {
  const healthy = published;
  published = document;
  const keys = createRemoteKeys(url);
  for (let attempt = 0; attempt < 10; attempt += 1) {
    await expect(jwtVerify(await tokenOf('first'), keys)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  }
  expect(fetches).toBe(1);
  published = healthy;
  now += 1000;
  await expect(jwtVerify(await tokenOf('first'), keys)).resolves.toBeDefined();
});

test('the state of the provider is down without keys, stale with old ones, and ok again after its return', async () => {
  const healthy = published;
  published = undefined;
  const keys = createRemoteKeys(url);
  expect(await keys.state()).toBe('down');
  published = healthy;
  now += 1000;
  expect(await keys.state()).toBe('ok');
  expect(fetches).toBe(2);
  published = undefined;
  now += 300_001;
  await jwtVerify(await tokenOf('first'), keys); // starts a refresh
  while ((await keys.state()) !== 'stale') await new Promise((resolve) => setImmediate(resolve));
  published = healthy;
  now += 300_001;
  await jwtVerify(await tokenOf('first'), keys);
  while ((await keys.state()) !== 'ok') await new Promise((resolve) => setImmediate(resolve));
});
