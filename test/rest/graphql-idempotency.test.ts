import { serviceError } from '../../src/errors/service-error';
import { type Edge, KEY, startEdge } from './edge';

const WALLET = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const CREATE = `mutation ($owner: String!) { createSmartAccount(owner: $owner, chainId: 8453) { address } }`;

let edge: Edge;
let ran: number;
let failure: Error | undefined;

beforeAll(async () => {
  edge = await startEdge({
    roots: {
      'Mutation.createSmartAccount': () => {
        ran += 1;
        if (failure !== undefined) throw failure;
        return { address: WALLET, owner: WALLET, chainId: 8453 };
      },
    },
  });
});
afterAll(() => edge.close());
beforeEach(() => {
  [ran, failure] = [0, undefined];
});

let serial = 0;
const newKey = (): string => `graph ${String((serial += 1))}`.replace(' ', '-');

async function send(key: string, body: object = { query: CREATE, variables: { owner: WALLET } }, headers: object = {}) {
  const response = await fetch(`${edge.url}/graphql`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'x-api-key': KEY, 'idempotency-key': key, ...headers },
  });
  const { status } = response;
  return { status, replayed: response.headers.get('idempotency-replayed'), text: await response.text() };
}

it('a mutation runs once for its Idempotency-Key, and its response is replayed', async () => {
  const key = newKey();
  const first = await send(key);
  expect(first).toMatchObject({ status: 200, replayed: null, text: expect.stringContaining(WALLET) });
  expect(await send(key)).toEqual({ ...first, replayed: 'true' });
  expect(ran).toBe(1);
});

it('the same key with another operation, or with other variables, is refused', async () => {
  const key = newKey();
  await send(key);
  const others = [{ query: CREATE, variables: { owner: 'x' } }, { query: '{ ping }' }];
  for (const other of others) {
    const { status, text } = await send(key, other);
    expect([status, JSON.parse(text).errors[0].extensions.code]).toEqual([400, 'VALIDATION_ERROR']);
  }
  expect(ran).toBe(1);
});

it('an error of the caller is replayed; a retryable error is not stored, and the mutation runs again', async () => {
  failure = serviceError('KYC_PROFILE_NOT_FOUND');
  const refused = newKey();
  const [first, second] = [await send(refused), await send(refused)];
  expect(JSON.parse(first.text).errors[0].extensions.code).toBe('KYC_PROFILE_NOT_FOUND');
  expect([second.text, second.replayed, ran]).toEqual([first.text, 'true', 1]);
  const retryable = [
    new TypeError('a bug'),
    serviceError('BYTECODE_GENERATION_FAILED', { reason: '' }),
    serviceError('RATE_LIMIT_EXCEEDED', { bound: '', retryAfter: 1 }, { details: { retryAfter: 1 } }),
    serviceError('SECONDARY_RAMP_KYC_IN_PROGRESS'),
  ];
  for (const retryableError of retryable) {
    failure = retryableError;
    const key = newKey();
    expect((await send(key)).text).toContain('"errors"');
    failure = undefined;
    expect(await send(key)).toMatchObject({ replayed: null, text: expect.stringContaining(WALLET) });
  }
});

it('a response to several mutations is stored whatever their errors: one of them may have taken effect', async () => {
  const key = newKey();
  const twice = CREATE.replace('{ createSmart', '{ first: createSmart').replace(
    ' }',
    ' } second: createKycSession { kycUserId }',
  );
  failure = serviceError('RATE_LIMIT_EXCEEDED', { bound: '', retryAfter: 1 });
  const body = { query: twice, variables: { owner: WALLET } };
  const [first, second] = [await send(key, body), await send(key, body)];
  expect(first.text).toContain('RATE_LIMIT_EXCEEDED');
  expect([second.text, second.replayed]).toEqual([first.text, 'true']);
});

it('a request that is refused before it runs does not use up its key', async () => {
  const key = newKey();
  for (const query of ['{ nothing }', 'mutation {', 'mutation ($owner: String!) { wrong(owner: $owner) }']) {
    expect((await send(key, { query })).text).toContain('"errors"');
  }
  expect(await send(key)).toMatchObject({ replayed: null, text: expect.stringContaining(WALLET) });
  expect((await send('x'.repeat(256))).status).toBe(400);
});

it('a mutation with a key is refused as an event stream, because a stream cannot be replayed', async () => {
  const key = newKey();
  const { status, text } = await send(key, undefined, { accept: 'text/event-stream' });
  expect([status, ran]).toEqual([400, 0]);
  expect(text).toContain('idempotency-key');
});

it('the key is ignored without a customer', async () => {
  const key = newKey();
  const anonymous = { 'x-api-key': '' };
  for (let turn = 0; turn < 2; turn += 1) {
    const { text, replayed } = await send(key, { query: '{ ping }' }, anonymous);
    expect([text.trim(), replayed]).toEqual(['{"data":{"ping":true}}', null]);
  }
});

it.each(['variables', 'anything'])('a body with %s nested 100,000 levels deep is refused as invalid', async (field) => {
  const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const response = await fetch(`${edge.url}/graphql`, {
    method: 'POST',
    body: `{"query":"{ ping }","${field}":${nested}}`,
    headers: { 'content-type': 'application/json', 'x-api-key': KEY, 'idempotency-key': newKey() },
  });
  const { errors } = await response.json();
  expect([response.status, errors[0].extensions.code]).toEqual([400, 'VALIDATION_ERROR']);
});
