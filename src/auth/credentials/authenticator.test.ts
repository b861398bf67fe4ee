import fc from 'fast-check';
import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { isServiceError } from '../../errors/service-error';
import { createAccessTokenVerifier } from './access-token-verifier';
import { formatApiKey, generateApiKey } from './api-key';
import { createApiKeyVerifier } from './api-key-verifier';
import { createAuthenticator, type Authenticator, type RouteAuthentication } from './authenticator';
import type { ApiKeyRecord } from './credential-store';
import { createCustomerGate } from './customer-gate';
import { createFailedKeyWindow } from '../rate-limit/failed-key-window';
import type { CustomerId } from '../principal';
import { hashSecret } from './secret-hash';

const ACTIVE = '0197a3c0-0000-7000-8000-000000000001' as CustomerId;
const SUSPENDED = '0197a3c0-0000-7000-8000-000000000002' as CustomerId;
const pepper = 'ab'.repeat(32);
const FAILURES_PER_MINUTE = 5;

const records = new Map<string, ApiKeyRecord>();
const noted: string[] = [];
let lookUps = 0;

/** A stored key in the text form that callers send. */
function storedKey(overrides: Partial<ApiKeyRecord> = {}): string {
  const key = generateApiKey();
  const record = { customerId: ACTIVE, secretHash: hashSecret(pepper, key.secret), expiresAt: null, revokedAt: null };
  records.set(key.id, { ...record, ...overrides });
  return formatApiKey(key);
}

const past = new Date(Date.now() - 1000);
const keys = {
  valid: storedKey(),
  other: storedKey(),
  expiring: storedKey({ expiresAt: new Date(Date.now() + 60_000) }),
  expired: storedKey({ expiresAt: past }),
  revoked: storedKey({ revokedAt: past }),
  suspended: storedKey({ customerId: SUSPENDED }),
  revokedOfSuspended: storedKey({ customerId: SUSPENDED, revokedAt: past }),
  unknown: formatApiKey(generateApiKey()),
  wrongSecret: '',
};
keys.wrongSecret = formatApiKey({ id: keys.valid.slice(8, 24), secret: generateApiKey().secret });

type TokenName = 'valid' | 'expired' | 'viewer' | 'noRole' | 'suspended';
let tokens: Record<TokenName, string>;
let authenticator: Authenticator;
let anew: () => Authenticator;

beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const sign = (customerId: string, role: string | undefined, exp: string) =>
    new SignJWT({ iss: 'id', aud: 'us', sub: 'ana', customer_id: customerId, role })
      .setProtectedHeader({ alg: 'ES256' })
      .setExpirationTime(exp)
      .sign(privateKey);
  tokens = {
    valid: await sign(ACTIVE, 'owner', '1h'),
    viewer: await sign(ACTIVE, 'viewer', '1h'),
    expired: await sign(ACTIVE, 'owner', '1h ago'),
    noRole: await sign(ACTIVE, undefined, '1h'),
    suspended: await sign(SUSPENDED, 'owner', '1h'),
  };
  const jwks = createLocalJWKSet({ keys: [await exportJWK(publicKey)] });
  const admit = createCustomerGate((id) =>
    Promise.resolve({
      status: id === SUSPENDED ? ('SUSPENDED' as const) : ('ACTIVE' as const),
      rateLimitPerMinute: null,
      rateLimitPerHour: null,
    }),
  );
  const rules = { keys: jwks, issuer: 'id', audience: 'us', customerClaim: 'customer_id', roleClaim: 'role' };
  anew = () =>
    createAuthenticator({
      verifyApiKey: createApiKeyVerifier({
        pepper,
        findApiKey: (id) => {
          lookUps += 1;
          return Promise.resolve(records.get(id));
        },
        admit,
        failures: createFailedKeyWindow(FAILURES_PER_MINUTE),
        lastUsedKeys: { touch: (id) => noted.push(id), stop: () => Promise.resolve() },
      }),
      verifyAccessToken: createAccessTokenVerifier({ rules, admit, findMember: () => Promise.resolve(undefined) }),
    });
});

beforeEach(() => {
  authenticator = anew();
  noted.length = 0;
  lookUps = 0;
});

const send = (accepts: RouteAuthentication, apiKey?: string, authorization?: string) =>
  authenticator.authenticate({ apiKey, authorization, clientAddress: '203.0.113.7' }, accepts);

const everyRoute: readonly RouteAuthentication[] = ['apiKey', 'bearer', 'apiKeyOrBearer'];
const keyRoutes: readonly RouteAuthentication[] = ['apiKey', 'apiKeyOrBearer'];
const bearerRoutes: readonly RouteAuthentication[] = ['bearer', 'apiKeyOrBearer'];

interface Case {
  readonly rule: string;
  readonly routes: readonly RouteAuthentication[];
  readonly apiKey?: () => string;
  readonly authorization?: () => string;
  readonly expected: string;
}

const bearer = (name: TokenName) => () => `Bearer ${tokens[name]}`;
const [required, badKey, badToken, malformed, forbidden] = [
  '401 AUTHENTICATION_REQUIRED',
  '401 INVALID_API_KEY',
  '401 INVALID_AUTH_TOKEN',
  '422 VALIDATION_ERROR',
  '403 FORBIDDEN',
];

const rule1 = '1. No x-api-key and no Authorization header: 401 AUTHENTICATION_REQUIRED';
const rule2valid =
  '2. A valid x-api-key wins: an Authorization header beside it is ignored on routes that take the key';
const rule2key = '2. x-api-key present but empty, unknown, expired or revoked: 401 INVALID_API_KEY';
const rule2bare =
  '2. On an API-key route with only an Authorization header: bare key or wrong scheme is 422 VALIDATION_ERROR';
const rule2bearer =
  '2. On an API-key route with only an Authorization header: a well-formed Bearer is 401 INVALID_API_KEY unless the route accepts Bearer';
const rule3 = '3. Bearer-only route with an API key alone, even a valid one: 401 AUTHENTICATION_REQUIRED';
const rule4form = '4. Malformed Authorization (not Bearer <jwt>): 422 VALIDATION_ERROR';
const rule4token = '4. Bad signature, issuer, audience, expiry: 401 INVALID_AUTH_TOKEN';
const rule5 = '5. Suspended customer, missing role: 403 FORBIDDEN';

const cases: readonly Case[] = [
  { rule: rule1, routes: everyRoute, expected: required },

  { rule: rule2valid, routes: keyRoutes, apiKey: () => keys.valid, expected: 'apiKey' },
  { rule: rule2valid, routes: keyRoutes, apiKey: () => keys.expiring, expected: 'apiKey' },
  { rule: rule2valid, routes: keyRoutes, apiKey: () => keys.valid, authorization: bearer('valid'), expected: 'apiKey' },
  {
    rule: rule2valid,
    routes: keyRoutes,
    apiKey: () => keys.valid,
    authorization: bearer('expired'),
    expected: 'apiKey',
  },
  {
    rule: rule2valid,
    routes: keyRoutes,
    apiKey: () => keys.valid,
    authorization: () => keys.valid,
    expected: 'apiKey',
  },
  { rule: rule2valid, routes: keyRoutes, apiKey: () => keys.valid, authorization: () => '', expected: 'apiKey' },

  { rule: rule2key, routes: keyRoutes, apiKey: () => '', expected: badKey },
  { rule: rule2key, routes: keyRoutes, apiKey: () => 'no key at all', expected: badKey },
  { rule: rule2key, routes: keyRoutes, apiKey: () => keys.unknown, expected: badKey },
  { rule: rule2key, routes: keyRoutes, apiKey: () => keys.wrongSecret, expected: badKey },
  { rule: rule2key, routes: keyRoutes, apiKey: () => keys.expired, expected: badKey },
  { rule: rule2key, routes: keyRoutes, apiKey: () => keys.revoked, expected: badKey },
  { rule: rule2key, routes: keyRoutes, apiKey: () => keys.revokedOfSuspended, expected: badKey },
  { rule: rule2key, routes: keyRoutes, apiKey: () => '', authorization: bearer('valid'), expected: badKey },
  { rule: rule2key, routes: keyRoutes, apiKey: () => keys.revoked, authorization: bearer('valid'), expected: badKey },

  { rule: rule2bare, routes: ['apiKey'], authorization: () => keys.valid, expected: malformed },
  { rule: rule2bare, routes: ['apiKey'], authorization: () => `Basic ${tokens.valid}`, expected: malformed },
  { rule: rule2bare, routes: ['apiKey'], authorization: () => `Bearer ${keys.valid}`, expected: malformed },
  { rule: rule2bearer, routes: ['apiKey'], authorization: bearer('valid'), expected: badKey },
  { rule: rule2bearer, routes: ['apiKey'], authorization: bearer('expired'), expected: badKey },
  { rule: rule2bearer, routes: bearerRoutes, authorization: bearer('valid'), expected: 'bearer' },
  { rule: rule2bearer, routes: bearerRoutes, authorization: () => `bearer  ${tokens.valid}`, expected: 'bearer' },

  { rule: rule3, routes: ['bearer'], apiKey: () => keys.valid, expected: required },
  { rule: rule3, routes: ['bearer'], apiKey: () => keys.unknown, expected: required },
  { rule: rule3, routes: ['bearer'], apiKey: () => '', expected: required },
  { rule: rule3, routes: ['bearer'], apiKey: () => keys.valid, authorization: bearer('valid'), expected: 'bearer' },
  { rule: rule3, routes: ['bearer'], apiKey: () => keys.revoked, authorization: bearer('valid'), expected: 'bearer' },

  { rule: rule4form, routes: bearerRoutes, authorization: () => '', expected: malformed },
  { rule: rule4form, routes: bearerRoutes, authorization: () => 'Bearer', expected: malformed },
  { rule: rule4form, routes: bearerRoutes, authorization: () => 'Bearer ', expected: malformed },
  { rule: rule4form, routes: bearerRoutes, authorization: () => 'Bearer word', expected: malformed },
  { rule: rule4form, routes: bearerRoutes, authorization: () => tokens.valid, expected: malformed },
  { rule: rule4form, routes: bearerRoutes, authorization: () => keys.valid, expected: malformed },
  { rule: rule4form, routes: bearerRoutes, authorization: () => `Basic ${tokens.valid}`, expected: malformed },
  { rule: rule4form, routes: bearerRoutes, authorization: () => `Bearer ${tokens.valid}.more`, expected: malformed },
  { rule: rule4form, routes: bearerRoutes, authorization: () => `Bearer ${tokens.valid} more`, expected: malformed },
  {
    rule: rule4form,
    routes: ['bearer'],
    apiKey: () => keys.valid,
    authorization: () => keys.valid,
    expected: malformed,
  },
  { rule: rule4token, routes: bearerRoutes, authorization: bearer('expired'), expected: badToken },
  { rule: rule4token, routes: bearerRoutes, authorization: () => 'Bearer not.a.token', expected: badToken },
  {
    rule: rule4token,
    routes: bearerRoutes,
    authorization: () => `Bearer ${tokens.valid.slice(0, -4)}`,
    expected: badToken,
  },
  {
    rule: rule4token,
    routes: bearerRoutes,
    authorization: () => 'Bearer eyJhbGciOiJub25lIn0.e30.',
    expected: badToken,
  },

  { rule: rule5, routes: keyRoutes, apiKey: () => keys.suspended, expected: forbidden },
  { rule: rule5, routes: bearerRoutes, authorization: bearer('suspended'), expected: forbidden },
  { rule: rule5, routes: bearerRoutes, authorization: bearer('noRole'), expected: forbidden },
];

const eachRoute = cases.flatMap(({ routes, ...rest }, number) => routes.map((route) => ({ route, number, ...rest })));

test.each(eachRoute)('$rule ($route, case $number: $expected)', async ({ route, apiKey, authorization, expected }) => {
  const outcome = await send(route, apiKey?.(), authorization?.()).then(
    ({ kind }) => kind as string,
    (error: unknown) => (isServiceError(error) ? `${String(error.status)} ${error.code}` : error),
  );
  expect(outcome).toBe(expected);
});

test('a malformed Authorization header is reported in details.errors', async () => {
  const details = { errors: [{ path: 'authorization', message: expect.any(String) as string }] };
  await expect(send('bearer', undefined, 'Basic x')).rejects.toMatchObject({ details });
});

test('returns the customer of the key and of the token', async () => {
  const principal = { kind: 'apiKey', customerId: ACTIVE, keyId: keys.valid.slice(8, 24) };
  await expect(send('apiKey', keys.valid)).resolves.toEqual(principal);
  const viewer = { kind: 'bearer', customerId: ACTIVE, subject: 'ana', role: 'viewer' };
  await expect(send('bearer', undefined, `Bearer ${tokens.viewer}`)).resolves.toEqual(viewer);
});

test('an access token on a route for API keys is refused with the sentence that a key is needed, and no other key is', async () => {
  const [token, key] = await Promise.all([
    send('apiKey', undefined, `Bearer ${tokens.valid}`).catch(String),
    send('apiKey', keys.revoked).catch(String),
  ]);
  expect(token).toMatch(/API key is missing, and an access token does not replace it here\. Send .* x-api-key header/);
  expect(key).toMatch(/API key is missing, unknown, expired or revoked\. Send .* x-api-key header/);
});

test('6. a key with one changed character is rejected without a database query', async () => {
  const characters = fc.oneof(
    fc.constantFrom('0', '9', 'A', 'Z', 'a', 'z', '_', '-'),
    fc.string({ minLength: 1, maxLength: 1 }),
  );
  const where = fc.nat({ max: keys.valid.length - 1 });
  await fc.assert(
    fc.asyncProperty(where, characters, async (at, character) => {
      fc.pre(keys.valid[at] !== character);
      const changed = keys.valid.slice(0, at) + character + keys.valid.slice(at + 1);
      await expect(send('apiKey', changed)).rejects.toMatchObject({ code: 'INVALID_API_KEY' });
    }),
    { numRuns: 500 },
  );
  expect(lookUps).toBe(0);
});

describe('guessing', () => {
  const guess = () => send('apiKey', formatApiKey(generateApiKey()));

  test('ends with RATE_LIMITED and without lookups', async () => {
    for (let wrong = 0; wrong < FAILURES_PER_MINUTE; wrong += 1) {
      await expect(guess()).rejects.toMatchObject({ code: 'INVALID_API_KEY' });
    }
    const limited = { code: 'RATE_LIMITED', status: 429, details: { retryAfter: 60 } };
    await expect(guess()).rejects.toMatchObject(limited);
    expect(lookUps).toBe(FAILURES_PER_MINUTE);
  });

  test('does not block a valid key from the same address, nor keys from another address', async () => {
    await send('apiKey', keys.valid);
    for (let wrong = 0; wrong < 2 * FAILURES_PER_MINUTE; wrong += 1) await guess().catch(() => undefined);
    await expect(send('apiKey', keys.valid)).resolves.toMatchObject({ kind: 'apiKey' });
    await expect(send('apiKey', keys.wrongSecret)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    const elsewhere = { apiKey: keys.other, authorization: undefined, clientAddress: '203.0.113.8' };
    await expect(authenticator.authenticate(elsewhere, 'apiKey')).resolves.toMatchObject({ kind: 'apiKey' });
  });

  test('is not counted for malformed keys', async () => {
    for (let wrong = 0; wrong < 2 * FAILURES_PER_MINUTE; wrong += 1) {
      await expect(send('apiKey', 'mistyped')).rejects.toMatchObject({ code: 'INVALID_API_KEY' });
    }
    await expect(send('apiKey', keys.valid)).resolves.toMatchObject({ kind: 'apiKey' });
  });
});

test('records the use of accepted keys only', async () => {
  await send('apiKey', keys.valid);
  for (const key of [keys.revoked, keys.suspended, keys.wrongSecret]) await send('apiKey', key).catch(() => undefined);
  expect(noted).toEqual([keys.valid.slice(8, 24)]);
});
