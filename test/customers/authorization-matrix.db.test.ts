import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, getNamedType } from 'graphql';
import { ROUTES } from '../../gateway/rest/route-table';
import { generateApiKey } from '../../src/auth/credentials/api-key';
import { PERMISSION_NAMES, PERMISSIONS, hasPermission } from '../../src/auth/roles';
import { ROLES } from '../../src/auth/principal';
import { PROJECT_ROOT } from '../../src/config/project-root';
import { createApiKey } from '../../src/customers/api-keys';
import { suspendCustomer } from '../../src/customers/customers';
import { uuidV7 } from '../../src/persistence/uuid-v7';
import { createSampleAction } from '../actions/sample-action';
import { ACCESS, type Access } from './access-table';
import { rootFieldsOf, type SampleOperation, sampleOperation } from './sample-document';
import { type Sender, SENDERS, startTenants, type Tenant, type Tenants } from './tenants';

const schema = buildSchema(readFileSync(path.join(PROJECT_ROOT, 'gateway/api.graphql'), 'utf8'), { assumeValid: true });
const FIELDS = rootFieldsOf(schema);

let tenants: Tenants;
beforeAll(async () => {
  tenants = await startTenants();
});
afterAll(() => tenants.stop());

/** The codes with which the edge and the resolvers refuse a credential. */
const REFUSALS = ['AUTHENTICATION_REQUIRED', 'INVALID_API_KEY', 'INVALID_AUTH_TOKEN', 'FORBIDDEN'];

/** The refusal that a sender gets; `undefined` when it may execute the field. */
function expectedRefusal({ apiKey, permission }: Access, sender: Sender): string | undefined {
  if (sender === 'anonymous') return 'AUTHENTICATION_REQUIRED';
  if (sender === 'apiKey') return apiKey ? undefined : 'AUTHENTICATION_REQUIRED';
  if (permission === undefined) return 'INVALID_API_KEY';
  return hasPermission(sender, permission) ? undefined : 'FORBIDDEN';
}

async function execute(operation: SampleOperation, headers: Readonly<Record<string, string>>): Promise<string> {
  const accept = operation.name.startsWith('Subscription.') ? 'text/event-stream' : 'application/json';
  const leaving = new AbortController();
  const response = await tenants.fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body: JSON.stringify({ query: operation.source, variables: operation.variables }),
    signal: leaving.signal,
  });
  if (accept === 'application/json') return response.text();
  const reader = response.body!.getReader();
  let text = '';
  while (!/^data: ./m.test(text) && !text.includes('"code"')) {
    const { done, value } = await reader.read();
    if (done) break;
    text += Buffer.from(value).toString();
  }
  leaving.abort();
  return text;
}

const refusalIn = (text: string): string | undefined => REFUSALS.find((code) => text.includes(`"code":"${code}"`));

describe('the table of access', () => {
  it('has a row for every query, mutation and subscription, and for nothing else', () => {
    expect(Object.keys(ACCESS).toSorted()).toEqual(FIELDS.map(({ kind, field }) => `${kind}.${field.name}`).toSorted());
  });

  it('agrees with the routes about API keys and access tokens', () => {
    for (const { operation, auth } of ROUTES) {
      const { apiKey, permission } = ACCESS[operation]!;
      if (auth === 'bearer') expect([operation, apiKey, permission !== undefined]).toEqual([operation, false, true]);
      else expect([operation, apiKey]).toEqual([operation, true]);
    }
  });

  it('is what docs/roles.md says about permissions', () => {
    const [page = ''] = readFileSync(path.join(PROJECT_ROOT, 'docs/roles.md'), 'utf8').split('## Mutations');
    const rows = PERMISSION_NAMES.map((permission) => {
      const roles: readonly string[] = PERMISSIONS[permission];
      return [permission, ...ROLES.map((role) => (roles.includes(role) ? 'yes' : 'no'))];
    });
    const shown = [...page.matchAll(/^\| `([\w:]+)` +\|(.*)$/gm)].map(([, permission, cells = '']) => [
      permission,
      ...cells
        .split('|')
        .slice(0, ROLES.length)
        .map((cell) => cell.trim()),
    ]);
    expect(shown).toEqual(rows);
  });
});

describe.each(['one', 'other'] as const)('a user of the customer "%s"', (name) => {
  it.each(FIELDS.map(({ kind, field }) => [`${kind}.${field.name}`, kind, field] as const))(
    'executes %s exactly with the credentials of its row',
    async (row, kind, field) => {
      const operation = sampleOperation(field, kind);
      for (const sender of SENDERS) {
        const text = await execute(operation, tenants[name].headers[sender]);
        expect([sender, refusalIn(text)]).toEqual([sender, expectedRefusal(ACCESS[row]!, sender)]);
        expect(text).not.toContain('GRAPHQL_VALIDATION_FAILED');
      }
    },
  );

  it.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'requests %s exactly with the credentials of the route',
    async (_, { method, path: template, auth, operation }) => {
      const url = template.replace(':id', tenants[name].id).replace(/:\w+/g, '0197a3c0-0000-7000-8000-00000000dead');
      for (const sender of SENDERS) {
        const headers = { 'content-type': 'application/json', ...tenants[name].headers[sender] };
        const response = await tenants.fetch(url, { method, headers, ...(method === 'POST' ? { body: '{}' } : {}) });
        const refused = refusalIn(await response.text());
        const isUser = sender !== 'anonymous' && sender !== 'apiKey';
        const accepted = isUser ? auth !== 'apiKey' : sender === 'apiKey' && auth !== 'bearer';
        if (!accepted) expect([sender, response.status, refused === undefined]).toEqual([sender, 401, false]);
        else if (isUser) expect([sender, refused]).toEqual([sender, expectedRefusal(ACCESS[operation]!, sender)]);
        else expect([sender, refused]).toEqual([sender, undefined]);
      }
    },
  );
});

/** Rows of the customer "one", by the argument that names them. */
async function rowsOfOne(): Promise<Readonly<Record<string, string>>> {
  const { test, one } = tenants;
  const { database } = test;
  const customerId = one.id;
  const action = await createSampleAction(database, { customerId });
  const key = await createApiKey({ database, pepper: 'ab'.repeat(32) }, { customerId, label: 'foreign' });
  const [endpointId, eventId, deliveryId, kycUserId] = [uuidV7(), uuidV7(), uuidV7(), uuidV7()];
  await database.webhookEndpoint.create({ data: { id: endpointId, customerId, url: 'https://hooks.example.com/' } });
  const event = { id: eventId, customerId, type: 'webhook.test', subjectId: endpointId, body: '{}' };
  await database.webhookEvent.create({ data: { ...event, preparedAt: new Date() } });
  await database.webhookDelivery.create({
    data: { id: deliveryId, customerId, eventId, endpointId, state: 'DELIVERED', finishedAt: new Date() },
  });
  const sealed = Uint8Array.from(randomBytes(16));
  await database.kycProfile.create({ data: { id: kycUserId, customerId, taxIdIndex: sealed, person: sealed } });
  return {
    id: action.id,
    customer: customerId,
    quoteId: action.quoteId,
    keyId: key!.id,
    endpointId,
    eventId,
    deliveryId,
    kycUserId,
    subjectId: action.id,
  };
}

/** The same names with values that do not exist. */
const absentRows = (): Readonly<Record<string, string>> => ({
  id: uuidV7(),
  customer: uuidV7(),
  quoteId: uuidV7(),
  keyId: generateApiKey().id,
  endpointId: uuidV7(),
  eventId: uuidV7(),
  deliveryId: uuidV7(),
  kycUserId: uuidV7(),
  subjectId: uuidV7(),
});

const OF_CUSTOMERS = new Set(['Query.customerTokens', 'Query.customerTokenGroups']);
const isId = (type: string): boolean => type === 'UUID' || type === 'ID';
/** Strategies belong to no customer. */
const namesStrategy = (field: string): boolean => /strategy/i.test(field);

describe('a row of another customer', () => {
  const named = FIELDS.filter(
    ({ field }) => !namesStrategy(field.name) && field.args.some(({ type }) => isId(getNamedType(type).name)),
  );

  it.each(named.map(({ kind, field }) => [`${kind}.${field.name}`, kind, field] as const))(
    'has the same response to %s as one that does not exist, byte for byte',
    async (row, kind, field) => {
      const [foreign, absent] = [await rowsOfOne(), absentRows()];
      const sender: Sender = ACCESS[row]!.permission === undefined ? 'apiKey' : 'admin';
      const ids = field.args.filter(({ type }) => isId(getNamedType(type).name)).map(({ name }) => name);
      const readOf = async (rows: Readonly<Record<string, string>>): Promise<string> => {
        const valueOf = (name: string): string => {
          const value = rows[name === 'id' && OF_CUSTOMERS.has(row) ? 'customer' : name];
          if (value === undefined) throw new Error(`${row} has an id argument without a sample: ${name}`);
          return value;
        };
        const given = Object.fromEntries(ids.map((name) => [name, valueOf(name)]));
        const text = await execute(sampleOperation(field, kind, given), tenants.other.headers[sender]);
        return Object.values(given).reduce((shown, id) => shown.replaceAll(id, '<id>'), text);
      };
      expect(await readOf(foreign)).toBe(await readOf(absent));
    },
  );

  it.each(['tokens', 'token-groups'])('is absent for GET /customers/{id}/%s, byte for byte', async (list) => {
    const read = async (id: string) => {
      const response = await tenants.fetch(`/customers/${id}/${list}`, { headers: tenants.other.headers.owner });
      return [response.status, await response.text()];
    };
    const [foreign, absent] = [await read(tenants.one.id), await read(uuidV7())];
    expect(foreign).toEqual(absent);
    expect(foreign).toEqual([404, expect.stringContaining('"CUSTOMER_NOT_FOUND"')]);
    expect((await read('not-an-id'))[0]).toBe(422);
    expect((await read(tenants.other.id))[0]).toBe(200);
  });
});

test('a suspended customer is refused everywhere', async () => {
  const { test: database, one } = tenants;
  await suspendCustomer(database.database, one.id);
  await new Promise((resolve) => setTimeout(resolve, 5000)); // a suspension takes effect within five seconds
  const refusedFor = async (tenant: Tenant, sender: Sender, operation: SampleOperation) =>
    refusalIn(await execute(operation, tenant.headers[sender]));
  for (const { kind, field } of FIELDS) {
    const operation = sampleOperation(field, kind);
    for (const sender of SENDERS.filter((each) => each !== 'anonymous'))
      expect([operation.name, sender, await refusedFor(one, sender, operation)]).toEqual([
        ...[operation.name, sender],
        'FORBIDDEN',
      ]);
  }
});
