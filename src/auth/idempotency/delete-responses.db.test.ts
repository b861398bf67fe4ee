import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { createResponseSealer } from './response-sealer';
import { deleteResponsesNaming } from './delete-responses';
import { createIdempotencyStore, type IdempotencyStore, type IdempotentRequest } from './idempotency-store';
import type { CustomerId } from '../principal';

const [ALICE, BOB] = [randomUUID() as CustomerId, randomUUID() as CustomerId];
const pepper = 'ab'.repeat(32);
const sealer = createResponseSealer({ API_KEY_PEPPER: pepper, PERSONAL_DATA_KEYS: undefined });

let test: TestDatabase;
let store: IdempotencyStore;
beforeAll(async () => {
  test = await createTestDatabase();
  store = createIdempotencyStore({ pool: test.pool, pepper, lockSeconds: 60, sealer });
});
afterAll(() => test.drop());

async function storedResponse(customerId: CustomerId, key: string, body: object): Promise<IdempotentRequest> {
  const request = { customerId, key, requestHash: Buffer.alloc(32) };
  const begun = await store.begin(request);
  if (begun.outcome === 'started')
    await store.complete(begun.claimed, { status: 200, headers: {}, body: JSON.stringify(body) });
  return request;
}

const outcomeOf = async (request: IdempotentRequest): Promise<string> => (await store.begin(request)).outcome;

it('deletes all responses of the customer that contain an id, and no others', async () => {
  const id = randomUUID();
  const others: IdempotentRequest[] = [];
  for (let hundred = 0; hundred < 6; hundred += 1) {
    const keys = Array.from({ length: 100 }, (_, index) => `key ${String(hundred * 100 + index)}`);
    others.push(...(await Promise.all(keys.map((key) => storedResponse(ALICE, key, { id: randomUUID() })))));
  }
  const named = [
    await storedResponse(ALICE, '!first', { kycUserId: id }),
    await storedResponse(ALICE, '~last', { qrCodeUrl: `https://example.com/payments/${id}/ab.png` }),
  ];
  const foreign = await storedResponse(BOB, 'key', { id });
  await deleteResponsesNaming(test.database, sealer, { customerId: ALICE, ids: new Set([id, randomUUID()]) });
  expect(await Promise.all(named.map(outcomeOf))).toEqual(['started', 'started']);
  expect(await outcomeOf(foreign)).toBe('replay');
  expect(new Set(await Promise.all(others.map(outcomeOf)))).toEqual(new Set(['replay']));
});

it('keeps a response whose sealing key was removed until it expires', async () => {
  const request = await storedResponse(ALICE, 'sealed with another key', { id: randomUUID() });
  const another = createResponseSealer({ API_KEY_PEPPER: 'cd'.repeat(32), PERSONAL_DATA_KEYS: undefined });
  await deleteResponsesNaming(test.database, another, { customerId: ALICE, ids: new Set([randomUUID()]) });
  expect(await outcomeOf(request)).toBe('replay');
});
