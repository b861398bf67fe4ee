import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { type IdentityProvider, startIdentityProvider } from './start-identity-provider';

const request = { customerId: '0197a3c0-0000-7000-8000-000000000001', subject: 'ana', role: 'owner' };
const running: IdentityProvider[] = [];

async function start(options: Parameters<typeof startIdentityProvider>[0] = {}): Promise<IdentityProvider> {
  const provider = await startIdentityProvider(options);
  running.push(provider);
  return provider;
}

const verify = (provider: IdentityProvider, token: string) =>
  jwtVerify(token, createRemoteJWKSet(new URL(provider.jwksUrl), { timeoutDuration: 60_000 }), {
    issuer: provider.issuer,
    audience: provider.audience,
    algorithms: ['ES256'],
  });

const sendControl = (provider: IdentityProvider, name: string, body: object = {}): Promise<Response> =>
  fetch(`${provider.url}/control/${name}`, { method: 'POST', body: JSON.stringify(body) });

afterEach(async () => {
  await Promise.all(running.splice(0).map((provider) => provider.stop()));
});

test('issues tokens that verify against the keys it publishes', async () => {
  const provider = await start();
  const { payload } = await verify(provider, await provider.issueToken(request));
  expect(payload).toMatchObject({ sub: 'ana', customer_id: request.customerId, role: 'owner' });
});

test('publishes no private key', async () => {
  const provider = await start();
  const { keys } = (await (await fetch(provider.jwksUrl)).json()) as { keys: Record<string, unknown>[] };
  expect(keys).toHaveLength(1);
  expect(Object.keys(keys[0]!).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
});

test('tokens survive a restart on another port, and only the owner may read the key', async () => {
  const keyFile = path.join(mkdtempSync(path.join(tmpdir(), 'identity-')), 'keys.json');
  const before = await start({ keyFile });
  const token = await before.issueToken(request);
  await before.stop();
  const after = await start({ keyFile });
  await expect(verify(after, token)).resolves.toBeDefined();
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
});

test('a rotated key signs, the one before it still verifies, the one before that does not', async () => {
  const provider = await start();
  const first = await provider.issueToken(request);
  await sendControl(provider, 'rotate');
  const second = await provider.issueToken(request);
  expect(decodeProtectedHeader(second).kid).not.toBe(decodeProtectedHeader(first).kid);
  await expect(verify(provider, first)).resolves.toBeDefined();
  await expect(verify(provider, second)).resolves.toBeDefined();
  await provider.rotateKeys();
  await expect(verify(provider, first)).rejects.toThrow();
});

test('fails on demand, and recovers', async () => {
  const provider = await start();
  await sendControl(provider, 'outage', { mode: 'error' });
  expect((await fetch(provider.jwksUrl)).status).toBe(503);
  await sendControl(provider, 'outage', { mode: 'hang' });
  await expect(fetch(provider.jwksUrl, { signal: AbortSignal.timeout(100) })).rejects.toThrow();
  await sendControl(provider, 'outage', { mode: 'none' });
  expect((await fetch(provider.jwksUrl)).status).toBe(200);
});

test('issues tokens over HTTP, expired ones too', async () => {
  const provider = await start();
  const response = await sendControl(provider, 'token', { ...request, expiresInSeconds: -60 });
  const { token } = (await response.json()) as { token: string };
  await expect(verify(provider, token)).rejects.toThrow(/exp/);
});

test.each([
  ['outage', { mode: 'sometimes' }, 400],
  ['token', { role: 'owner' }, 400],
  ['other', {}, 404],
])('refuses the control request %s %j', async (name, body, status) => {
  expect((await sendControl(await start(), name, body)).status).toBe(status);
});
