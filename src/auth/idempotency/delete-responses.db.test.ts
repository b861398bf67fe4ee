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

async function answered(customerId: CustomerId, key: string, body: object): Promise<IdempotentRequest> {
  const request = { customerId, key, requestHash: Buffer.alloc(32) };
  await store.begin(request);
  await store.complete(request, { status: 200, headers: {}, body: JSON.stringify(body) });
  return request;
}

const outcomeOf = async (request: IdempotentRequest): Promise<string> => (await store.begin(request)).outcome;

it('of however many answers, those of the customer that name an id are forgotten, and no other', async () => {
  const id = randomUUID();
  const others: IdempotentRequest[] = [];
  for (let hundred = 0; hundred < 6; hundred += 1) {
    const keys = Array.from({ length: 100 }, (_, index) => `key ${String(hundred * 100 + index)}`);
    others.push(...(await Promise.all(keys.map((key) => answered(ALICE, key, { id: randomUUID() })))));
  }
  const named = [
    await answered(ALICE, '!first', { kycUserId: id }),
    await answered(ALICE, '~last', { qrCodeUrl: `https://example.com/payments/${id}/ab.png` }),
  ];
  const foreign = await answered(BOB, 'key', { id });
  await deleteResponsesNaming(test.database, sealer, { customerId: ALICE, ids: new Set([id, randomUUID()]) });
  expect(await Promise.all(named.map(outcomeOf))).toEqual(['started', 'started']);
  expect(await outcomeOf(foreign)).toBe('replay');
  expect(new Set(await Promise.all(others.map(outcomeOf)))).toEqual(new Set(['replay']));
});

it('an answer whose key was taken away is left to expire', async () => {
  const request = await answered(ALICE, 'sealed with another key', { id: randomUUID() });
  const another = createResponseSealer({ API_KEY_PEPPER: 'cd'.repeat(32), PERSONAL_DATA_KEYS: undefined });
  await deleteResponsesNaming(test.database, another, { customerId: ALICE, ids: new Set([randomUUID()]) });
  expect(await outcomeOf(request)).toBe('replay');
});
