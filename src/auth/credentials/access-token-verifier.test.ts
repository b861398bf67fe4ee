import {
  createLocalJWKSet,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { type AccessTokenRules, type AccessTokenVerifier, createAccessTokenVerifier } from './access-token-verifier';
import type { MemberRecord } from './credential-store';
import { createCustomerGate } from './customer-gate';

const ACTIVE = '0197a3c0-0000-7000-8000-000000000001';
const SUSPENDED = '0197a3c0-0000-7000-8000-000000000002';
const ABSENT = '0197a3c0-0000-7000-8000-000000000003';
const issuer = 'https://id.example';
const audience = 'afluente';

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;
let pairs: Record<'ES256' | 'RS256' | 'EdDSA' | 'RS512', KeyPair>;
let rules: AccessTokenRules;
let verify: AccessTokenVerifier;

const admit = createCustomerGate((id) => {
  if (id === ABSENT) return Promise.resolve(undefined);
  const status = id === SUSPENDED ? 'SUSPENDED' : 'ACTIVE';
  return Promise.resolve({ status, rateLimitPerMinute: null, rateLimitPerHour: null });
});

const members: Record<string, MemberRecord> = {
  [`${ACTIVE} promoted`]: { role: 'admin', revokedAt: null, bindsAdmin: true },
  [`${ACTIVE} demoted`]: { role: 'viewer', revokedAt: null, bindsAdmin: true },
  [`${ACTIVE} demoted by an owner`]: { role: 'viewer', revokedAt: null, bindsAdmin: false },
  [`${ACTIVE} revoked by an owner`]: { role: 'viewer', revokedAt: new Date(0), bindsAdmin: false },
  [`${ACTIVE} revoked`]: { role: 'owner', revokedAt: new Date(0), bindsAdmin: true },
};
const findMember = (key: string): Promise<MemberRecord | undefined> => Promise.resolve(members[key]);

beforeAll(async () => {
  pairs = {
    ES256: await generateKeyPair('ES256'),
    RS256: await generateKeyPair('RS256'),
    EdDSA: await generateKeyPair('EdDSA'),
    RS512: await generateKeyPair('RS512'),
  };
  const jwks = await Promise.all(
    Object.entries(pairs).map(async ([kid, { publicKey }]) => ({ ...(await exportJWK(publicKey)), kid })),
  );
  const keys = createLocalJWKSet({ keys: jwks });
  rules = { keys, issuer, audience, customerClaim: 'customer_id', roleClaim: 'role' };
  verify = createAccessTokenVerifier({ rules, admit, findMember });
});

/** The time stands still: tokens do not age between their signature and their verification. */
beforeEach(() => jest.useFakeTimers({ doNotFake: [...TIMERS] }));
afterEach(() => jest.useRealTimers());

const seconds = (fromNow: number): number => Math.floor(Date.now() / 1000) + fromNow;
const valid = (): JWTPayload => ({
  iss: issuer,
  aud: audience,
  sub: 'ana',
  exp: seconds(60),
  customer_id: ACTIVE,
  role: 'owner',
});
const sign = (
  payload: Readonly<Record<string, unknown>>,
  alg: keyof typeof pairs = 'ES256',
  kid: string = alg,
): Promise<string> => new SignJWT({ ...payload }).setProtectedHeader({ alg, kid }).sign(pairs[alg].privateKey);

const TIMERS = [
  ...(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'] as const),
  ...(['nextTick', 'queueMicrotask', 'performance', 'hrtime'] as const),
];
const refused = { code: 'INVALID_AUTH_TOKEN', status: 401 };

test.each(['RS256', 'ES256', 'EdDSA'] as const)('accepts a token signed with %s', async (alg) => {
  const principal = { kind: 'bearer', customerId: ACTIVE, subject: 'ana', role: 'owner' };
  await expect(verify(await sign(valid(), alg))).resolves.toEqual(principal);
});

test.each<[string, () => Promise<string>]>([
  ['no signature (alg none)', () => Promise.resolve(new UnsecuredJWT(valid()).encode())],
  [
    'HS256 under the public key',
    async () => {
      const secret = Buffer.from(await exportSPKI(pairs.RS256.publicKey));
      return new SignJWT(valid()).setProtectedHeader({ alg: 'HS256', kid: 'RS256' }).sign(secret);
    },
  ],
  ['an algorithm that is not on the list', () => sign(valid(), 'RS512')],
  ['an unknown key id', () => sign(valid(), 'ES256', 'unknown')],
  ['a key id that is a path', () => sign(valid(), 'ES256', '../../../../dev/null')],
  ['the key id of another key', () => sign(valid(), 'ES256', 'EdDSA')],
  [
    'a signature with a foreign key',
    async () => {
      const { privateKey } = await generateKeyPair('ES256');
      return new SignJWT(valid()).setProtectedHeader({ alg: 'ES256', kid: 'ES256' }).sign(privateKey);
    },
  ],
  [
    'a changed payload',
    async () => {
      const [header, , signature] = (await sign(valid())).split('.');
      const payload = Buffer.from(JSON.stringify({ ...valid(), role: 'admin' })).toString('base64url');
      return [header, payload, signature].join('.');
    },
  ],
  ['another issuer', () => sign({ ...valid(), iss: 'https://evil.example' })],
  ['another audience', () => sign({ ...valid(), aud: 'another service' })],
  ['no audience', () => sign({ ...valid(), aud: undefined })],
  ['an expiry 31 s ago', () => sign({ ...valid(), exp: seconds(-31) })],
  ['no expiry', () => sign({ ...valid(), exp: undefined })],
  ['a start in 32 s', () => sign({ ...valid(), nbf: seconds(32) })],
  ['no subject', () => sign({ ...valid(), sub: undefined })],
  ['no customer', () => sign({ ...valid(), customer_id: undefined })],
  ['a customer that is no id', () => sign({ ...valid(), customer_id: "' OR 1=1" })],
  ['a customer that does not exist', () => sign({ ...valid(), customer_id: ABSENT })],
  ['three words', () => Promise.resolve('not.a.token')],
])('refuses a token with %s', async (_, token) => {
  await expect(verify(await token())).rejects.toMatchObject(refused);
});

test.each([
  ['an expiry 28 s ago', { exp: 'past' }],
  ['a start in 28 s', { nbf: 'soon' }],
  ['our audience among others', { aud: ['another service', audience] }],
  ['a customer id in capitals', { customer_id: ACTIVE.toUpperCase() }],
])('accepts a token with %s', async (_, change) => {
  const times: Record<string, number> = { past: seconds(-28), soon: seconds(28) };
  const timed = Object.fromEntries(
    Object.entries(change).map(([name, value]) => [name, times[String(value)] ?? value]),
  );
  await expect(verify(await sign({ ...valid(), ...timed }))).resolves.toMatchObject({ customerId: ACTIVE });
});

test.each([undefined, 'superuser', [], ['guest'], { role: 'admin' }, 7])(
  'a token with the role %j is FORBIDDEN',
  async (role) => {
    await expect(verify(await sign({ ...valid(), role }))).rejects.toMatchObject({ code: 'FORBIDDEN', status: 403 });
  },
);

test('a suspended customer is FORBIDDEN', async () => {
  const token = await sign({ ...valid(), customer_id: SUSPENDED });
  await expect(verify(token)).rejects.toMatchObject({ code: 'FORBIDDEN', status: 403 });
});

test('the strongest of several roles counts', async () => {
  await expect(verify(await sign({ ...valid(), role: ['viewer', 'guest', 'owner'] }))).resolves.toMatchObject({
    role: 'owner',
  });
});

test.each([
  ['promoted', 'viewer', 'admin'],
  ['promoted', undefined, 'admin'],
  ['demoted', 'owner', 'viewer'],
])('the role of a member replaces the one of its token: %s', async (sub, role, expected) => {
  await expect(verify(await sign({ ...valid(), sub, role }))).resolves.toMatchObject({ subject: sub, role: expected });
});

test.each(['demoted by an owner', 'revoked by an owner'])(
  'a user with the role admin keeps it when %s',
  async (sub) => {
    await expect(verify(await sign({ ...valid(), sub, role: 'admin' }))).resolves.toMatchObject({ role: 'admin' });
  },
);

test('users with another role are bound by what an owner decided', async () => {
  const demoted = await sign({ ...valid(), sub: 'demoted by an owner', role: 'owner' });
  await expect(verify(demoted)).resolves.toMatchObject({ role: 'viewer' });
  const revoked = await sign({ ...valid(), sub: 'revoked by an owner', role: 'owner' });
  await expect(verify(revoked)).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

test('a revoked member is FORBIDDEN, whatever its token says', async () => {
  const token = await sign({ ...valid(), sub: 'revoked', role: 'admin' });
  await expect(verify(token)).rejects.toMatchObject({ code: 'FORBIDDEN', status: 403 });
});

test.each([
  ['https://afluente.example/role', { 'https://afluente.example/role': 'viewer' }],
  ['realm_access.roles', { realm_access: { roles: ['viewer'] } }],
])('finds the role in the claim %s', async (roleClaim, claims) => {
  const configured = createAccessTokenVerifier({ rules: { ...rules, roleClaim }, admit, findMember });
  const rest = { ...valid(), role: undefined };
  await expect(configured(await sign({ ...rest, ...claims }))).resolves.toMatchObject({ role: 'viewer' });
});

test('claims are never read from a prototype', async () => {
  const hostile = { ...rules, roleClaim: '__proto__.constructor.name' };
  const configured = createAccessTokenVerifier({ rules: hostile, admit, findMember });
  await expect(configured(await sign(valid()))).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

test('without an identity provider every token is refused', async () => {
  const unconfigured = createAccessTokenVerifier({ rules: undefined, admit, findMember });
  await expect(unconfigured(await sign(valid()))).rejects.toMatchObject(refused);
});
