import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { buildSchema, type DocumentNode, isObjectType, parse, print } from 'graphql';
import { useSofa } from 'sofa-api';
import { createApp } from '../../gateway/http/create-app';
import { openApiDocument } from '../../gateway/rest/openapi/openapi-document';
import { mountRoutes, type RestDependencies } from '../../gateway/rest/mount-routes';
import { restView } from '../../gateway/rest/rest-view';
import { type RestRoute, ROUTES } from '../../gateway/rest/route-table';
import { routeDocument } from '../../gateway/rest/route-document';
import type { CustomerId } from '../../src/auth/principal';
import { silentLog, smallGraph } from '../federation/small-graph';

const SDL = `
  enum Status { PENDING SUCCESS }
  type Query { wallet(address: String!): Wallet! owner(id: ID!): Owner! }
  type Owner { id: ID! wallet: Wallet! }
  type Wallet {
    address: String!
    tokens: [String!]!
    history(page: Int = 1, status: Status, internal: Boolean): History!
    earn: Earn!
  }
  type History { page: Int! status: Status entries: [String!]! }
  type Earn { total: String! actions(limit: Int): [String!]! }
`;

const base = { method: 'GET', auth: 'apiKey', status: 200, errors: [], tag: 'Wallets' } as const;
const WALLET_ROUTE: RestRoute = {
  ...base,
  path: '/wallets/:address',
  operation: 'Query.wallet',
  sections: [
    { field: 'tokens', condition: { parameter: 'include', values: ['tokens', 'all'], default: 'all' } },
    { field: 'earn', condition: { parameter: 'include', values: ['earn', 'all'], default: 'all' } },
    {
      field: 'earn.actions',
      parameters: { limit: 'limit' },
      condition: { parameter: 'includeActions', default: true },
    },
    {
      field: 'history',
      parameters: { page: 'page', status: 'status' },
      condition: { parameter: 'includeHistory', default: true },
    },
  ],
};
const ROUTES_WITH_SECTIONS: readonly RestRoute[] = [
  WALLET_ROUTE,
  { ...base, path: '/owners/:id', operation: 'Query.owner' },
];

const resolved: string[] = [];
const noting =
  <Value>(name: string, value: (args: Record<string, unknown>) => Value) =>
  (_: unknown, args: Record<string, unknown>): Value => {
    resolved.push(`${name} ${JSON.stringify(args)}`);
    return value(args);
  };

const RESOLVERS = {
  Query: {
    wallet: (_: unknown, { address }: { address: string }) => ({ address }),
    owner: (_: unknown, { id }: { id: string }) => ({ id, wallet: { address: 'a' } }),
  },
  Wallet: {
    tokens: noting('tokens', () => ['ETH']),
    history: noting('history', ({ page, status }) => ({ page, status, entries: ['swap'] })),
    earn: noting('earn', () => ({ total: '5' })),
  },
  Earn: { actions: noting('actions', ({ limit }) => [`limit ${String(limit)}`]) },
};

let app: FastifyInstance;
let graph: RestDependencies['graph'];

beforeAll(async () => {
  graph = await smallGraph({ wallets: { sdl: SDL, resolvers: RESOLVERS } });
  const deps = {
    config: { CORS_ORIGINS: ['*'], TRUSTED_PROXIES: 0, QUEUE_TIMEOUT_MS: 2000, REQUEST_TIMEOUT_MS: 5000 },
    graph,
    log: silentLog,
    authenticator: {
      authenticate: () => Promise.resolve({ kind: 'apiKey', customerId: 'c' as CustomerId, keyId: 'k' }),
    },
    rateLimiter: { consume: () => Promise.resolve({ allowed: true, windows: [] }) },
    heavyWork: { run: (_: unknown, execute: () => unknown) => execute() },
  } as unknown as RestDependencies;
  app = await createApp(deps);
  mountRoutes(app, deps, ROUTES_WITH_SECTIONS);
});
beforeEach(() => resolved.splice(0));
afterAll(async () => {
  await app.close();
  await graph.close();
});

const get = async (url: string) => {
  const response = await app.inject({ method: 'GET', url, headers: { host: 'localhost' } });
  return { status: response.statusCode, headers: response.headers, body: response.json<Record<string, any>>() };
};

describe('sections of a route', () => {
  it('are all resolved by default, with the defaults of their arguments', async () => {
    expect((await get('/wallets/a')).body).toEqual({
      address: 'a',
      tokens: ['ETH'],
      history: { page: 1, entries: ['swap'] },
      earn: { total: '5', actions: ['limit undefined'] },
    });
    expect(resolved.sort()).toEqual(['actions {}', 'earn {}', 'history {"page":1}', 'tokens {}']);
  });

  it('are not resolved when the request excludes them', async () => {
    const { status, body } = await get('/wallets/a?include=earn&includeHistory=false&includeActions=false');
    expect([status, body]).toEqual([200, { address: 'a', earn: { total: '5' } }]);
    expect(resolved).toEqual(['earn {}']);
    resolved.splice(0);
    expect((await get('/wallets/a?include=tokens&includeHistory=false')).body).toEqual({
      address: 'a',
      tokens: ['ETH'],
    });
    expect(resolved).toEqual(['tokens {}']);
  });

  it('take query parameters as arguments, coerced to the types of the schema', async () => {
    const { body, headers } = await get('/wallets/a?page=3&status=SUCCESS&limit=7&internal=true');
    expect(body['history']).toEqual({ page: 3, status: 'SUCCESS', entries: ['swap'] });
    expect(body['earn']).toEqual({ total: '5', actions: ['limit 7'] });
    expect(resolved).toContain('history {"page":3,"status":"SUCCESS"}');
    expect(headers['x-ignored-parameters']).toBe('internal');
  });

  it('refuse every invalid value at once, by the name of the query parameter', async () => {
    const { status, body } = await get('/wallets/a?page=x&status=DONE&limit=1.5&include=nothing&includeHistory=maybe');
    expect(status).toBe(422);
    expect(body['error'].details.errors).toEqual([
      { path: 'limit', message: 'must be a whole number' },
      { path: 'page', message: expect.stringContaining('must be a whole number') },
      { path: 'status', message: 'must be one of PENDING, SUCCESS' },
      { path: 'include', message: 'must be one of tokens, all, earn' },
      { path: 'includeHistory', message: 'must be true or false' },
    ]);
    expect(resolved).toEqual([]);
  });

  it('do not appear in the responses of other routes', async () => {
    expect((await get('/owners/1?page=3')).body).toEqual({
      id: '1',
      wallet: { address: 'a', tokens: ['ETH'], earn: { total: '5' } },
    });
    expect(resolved.some((each) => each.startsWith('history'))).toBe(false);
  });

  it('are documented with their query parameters, and are not required in the response', () => {
    const document: any = openApiDocument(graph.schema, { routes: ROUTES_WITH_SECTIONS });
    const { parameters } = document.paths['/wallets/{address}'].get;
    const described = parameters.flatMap(({ name, in: place, required, schema }: any) =>
      name === undefined ? [] : [[name, place, required, schema.enum ?? schema.type ?? schema.$ref, schema.default]],
    );
    expect(described).toEqual([
      ['address', 'path', true, 'string', undefined],
      ['limit', 'query', false, 'integer', 50],
      ['page', 'query', false, 'integer', 1],
      ['status', 'query', false, '#/components/schemas/Status', undefined],
      ['include', 'query', false, ['tokens', 'all', 'earn'], 'all'],
      ['includeActions', 'query', false, 'boolean', true],
      ['includeHistory', 'query', false, 'boolean', true],
    ]);
    const { schemas } = document.components;
    expect(schemas.Wallet.required).toEqual(['address']);
    expect(Object.keys(schemas.Wallet.properties)).toEqual(['address', 'tokens', 'history', 'earn']);
  });
});

it("generates the documents that Sofa's router executes", async () => {
  const schema = buildSchema(readFileSync(path.join(__dirname, '../../gateway/api.graphql'), 'utf8'));
  const view = restView(schema, ROUTES);
  const executed = new Map<string, DocumentNode>();
  const router = useSofa({
    basePath: '',
    schema: view,
    routes: Object.fromEntries(ROUTES.map(({ operation }) => [operation, { method: 'GET', path: `/${operation}` }])),
    execute: (({ document, contextValue }: { document: DocumentNode; contextValue: { operation: string } }) => {
      executed.set(contextValue.operation, document);
      return { data: {} };
    }) as never,
  });
  for (const route of ROUTES) {
    const { handler } = router.__routes.find((each) => each.path === `/${route.operation}`)!;
    const params = new Proxy({}, { has: () => true });
    await (handler as any)({ body: null, url: '', params }, { operation: route.operation });
    const unconditional = (route.sections ?? []).map(({ field, parameters = {} }) => ({ field, parameters }));
    expect(print(routeDocument(view, { ...route, sections: unconditional, omits: [] }))).toBe(
      print(executed.get(route.operation) ?? parse('{ none }')),
    );
  }
});

describe('a route that limits the fields of a type', () => {
  const limited: RestRoute = { ...WALLET_ROUTE, shows: { Wallet: [], Earn: ['total'] } };

  it('shows the named fields and its sections alone', () => {
    const fields = (type: string) => {
      const found = restView(graph.schema, [limited]).getType(type);
      return isObjectType(found) ? Object.keys(found.getFields()) : undefined;
    };
    expect(fields('Wallet')).toEqual(['tokens', 'history', 'earn']);
    expect(fields('Earn')).toEqual(['total', 'actions']);
    expect(fields('History')).toEqual(['page', 'status', 'entries']);
  });

  it('has the types for itself: the response of no other route contains them', () => {
    const schema = buildSchema(readFileSync(path.join(__dirname, '../../gateway/api.graphql'), 'utf8'));
    for (const route of ROUTES) {
      const others = ROUTES.filter(({ operation }) => operation !== route.operation);
      const shared = Object.keys(route.shows ?? {}).filter((type) => restView(schema, others).getType(type));
      expect(shared).toEqual([]);
    }
  });
});

describe('a route that omits fields', () => {
  it('leaves them out at their path alone', () => {
    const omitting: RestRoute = { ...WALLET_ROUTE, omits: ['earn.total', 'history.page'] };
    const text = print(routeDocument(restView(graph.schema, [omitting]), omitting)).replaceAll(/\s+/g, ' ');
    expect(text).toContain('{ address tokens @include');
    expect(text).toMatch(/earn[^{]*\{ actions/);
    expect(text).toMatch(/history[^{]*\{ status entries \}/);
  });

  it('is rejected at startup when it has no such field', () => {
    const wrong: RestRoute = { ...WALLET_ROUTE, omits: ['earn.unknown'] };
    expect(() => routeDocument(restView(graph.schema, [wrong]), wrong)).toThrow('cannot omit earn.unknown');
  });

  it('is that of the overview: strategies in positions have no yields, which all other strategies have', () => {
    const schema = buildSchema(readFileSync(path.join(__dirname, '../../gateway/api.graphql'), 'utf8'));
    const view = restView(schema, ROUTES);
    const yieldsIn = (operation: string) => {
      const route = ROUTES.find((each) => each.operation === operation)!;
      const [, strategy = ''] = /\bstrategy \{(.*)/s.exec(print(routeDocument(view, route))) ?? [];
      return ['apy', 'avgApy', 'grossAPY', 'inceptionApy', 'netAPY', 'rewardAPY', 'rewards'].filter((name) =>
        new RegExp(`\\b${name}\\b`).test(strategy),
      );
    };
    expect(yieldsIn('Query.wallet')).toEqual([]);
    expect(yieldsIn('Query.strategyDetail')).toHaveLength(7);
  });
});

describe('a route table with sections that cannot be served', () => {
  it('is rejected at startup when a section also occurs at a path that no section names', async () => {
    const sdl = `
      type Query { pair: Pair! }
      type Pair { from: Wallet! to: Wallet! }
      type Wallet { address: String! history(page: Int): [String!]! }
    `;
    const { schema } = await smallGraph({ wallets: { sdl, resolvers: {} } });
    const section = (field: string) => ({ field, condition: { parameter: 'includeHistory', default: true } });
    const route: RestRoute = { ...base, path: '/pair', operation: 'Query.pair', sections: [section('from.history')] };
    const both: RestRoute = { ...route, sections: [section('from.history'), section('to.history')] };
    expect(() => routeDocument(restView(schema, [route]), route)).toThrow('undeclared path');
    expect(() => routeDocument(restView(schema, [both]), both)).not.toThrow();
  });

  it.each(['POST', 'DELETE'] as const)('is rejected for a %s route', (method) => {
    expect(() => restView(graph.schema, [{ ...WALLET_ROUTE, method }])).toThrow('cannot have sections');
  });
});
