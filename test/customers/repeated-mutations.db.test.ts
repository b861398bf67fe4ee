import { randomUUID } from 'node:crypto';
import { startTenants, type Sender, type Tenants } from './tenants';

let tenants: Tenants;
beforeAll(async () => {
  tenants = await startTenants();
});
afterAll(() => tenants.stop());

const CREATE = 'mutation { createApiKey(label: "server") { secret apiKey { id } } }';

interface Sent {
  readonly sender: Sender;
  readonly key: string;
  readonly tenant?: 'one' | 'other';
}

async function create({ sender, key, tenant = 'one' }: Sent): Promise<string> {
  const response = await tenants.fetch('/graphql', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'idempotency-key': key,
      ...tenants[tenant].headers[sender],
    },
    body: JSON.stringify({ query: CREATE }),
  });
  return response.text();
}

const keysOf = (tenant: 'one' | 'other') =>
  tenants.test.database.apiKey.count({ where: { customerId: tenants[tenant].id } });
const secretIn = (text: string): string | undefined => /"secret":"(sk_live_\w+)"/.exec(text)?.[1];

describe('a repeated creation of an API key', () => {
  it('creates one key, and shows it to the same user again', async () => {
    const [key, before] = [randomUUID(), await keysOf('one')];
    const first = await create({ sender: 'developer', key });
    expect(secretIn(first)).toBeDefined();
    expect(await create({ sender: 'developer', key })).toBe(first);
    expect(await keysOf('one')).toBe(before + 1);
  });

  it.each(['viewer', 'owner', 'apiKey'] as const)(
    'never shows the key to another sender of the same customer: %s',
    async (sender) => {
      const key = randomUUID();
      const secret = secretIn(await create({ sender: 'developer', key }))!;
      const before = await keysOf('one');
      const replayed = await create({ sender, key });
      expect(replayed).not.toContain(secret);
      expect(replayed).toContain('was used for another request');
      expect(await keysOf('one')).toBe(before);
    },
  );

  it('is independent of the keys of another customer', async () => {
    const key = randomUUID();
    const [one, other] = [
      await create({ sender: 'owner', key }),
      await create({ sender: 'owner', key, tenant: 'other' }),
    ];
    expect(secretIn(one)).not.toBe(secretIn(other));
    expect(secretIn(other)).toBeDefined();
  });
});
