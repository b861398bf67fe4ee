import { graphql } from 'graphql';
import { createSampleAction, newCustomer, sampleQuote } from '../../../test/actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import type { CustomerId, Principal, Role } from '../../../src/auth/principal';
import { createRequestContext } from '../../../src/auth/request-context';
import { createChainTable } from '../../../src/chains/chain-table';
import { KNOWN_CHAINS } from '../../../src/chains/known-chains';
import type { Database } from '../../../src/persistence/database';
import { buildSubgraph } from '../../schema/build-subgraph';
import { actionParts } from './index';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const subgraphOn = (database: Database) =>
  buildSubgraph({
    ...actionParts({
      database,
      chains: createChainTable(KNOWN_CHAINS),
      rpc: undefined as never,
      sources: new Map(),
      blockedAddresses: new Set(),
      orders: { cancel: () => Promise.resolve(false) },
      findLimit: () => Promise.resolve(1000),
    }),
    name: 'swaps',
  });

interface Operation {
  readonly source: string;
  readonly customerId?: CustomerId | undefined;
  /** Role of an access token; absent for an API key. */
  readonly role?: Role;
  readonly database?: Database;
}

function run({ source, customerId, role, database = test.database }: Operation) {
  const principal = customerId === undefined ? undefined : principalOf(customerId, role);
  const contextValue = createRequestContext({ requestId: 'r', principal, signal: new AbortController().signal });
  return graphql({ schema: subgraphOn(database).schema, source, contextValue });
}

const principalOf = (customerId: CustomerId, role: Role | undefined): Principal =>
  role === undefined
    ? { kind: 'apiKey', customerId, keyId: 'key' }
    : { kind: 'bearer', customerId, subject: 'user', role };

const codeOf = (result: Awaited<ReturnType<typeof run>>) =>
  (result.errors?.[0]?.originalError as { code?: string } | undefined)?.code;

interface Connection {
  readonly edges: readonly object[];
  readonly nodes: readonly { readonly id: string }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  readonly totalCount: number;
}

describe('actions in the graph', () => {
  it('are equally absent for another customer and for a request without a key', async () => {
    const { id } = await createSampleAction(test.database);
    const stranger = newCustomer();
    expect(codeOf(await run({ source: `{ action(id: "${id}") { id } }`, customerId: stranger }))).toBe(
      'ACTION_NOT_FOUND',
    );
    expect(codeOf(await run({ source: `{ action(id: "${id}") { id } }` }))).toBe('AUTHENTICATION_REQUIRED');
  });

  it('report amounts, fees and steps', async () => {
    const { id, customerId, quoteId } = await createSampleAction(test.database);
    const source = `{ action(id: "${id}") { id quoteId type status substatus refund { status } transactions { txHash }
      amounts { assetIn { token { symbol } chain { id } currency amountRaw amountHumanized amountInUSD } breakdown { type status description } }
      fees { total currency breakdown { type amount token } } steps { stepIndex status legs { kind status operator } } } }`;
    const { data, errors } = await run({ source, customerId });
    expect(errors).toBeUndefined();
    expect(data?.['action']).toEqual({
      id,
      quoteId,
      type: 'SAMECHAIN_SWAP',
      status: 'INITIAL',
      substatus: 'WAITING_ORIGIN',
      refund: null,
      transactions: [],
      amounts: {
        assetIn: {
          token: { symbol: 'USDC' },
          chain: { id: 31337 },
          currency: null,
          amountRaw: '100000000',
          amountHumanized: '100',
          amountInUSD: '100',
        },
        breakdown: [{ type: 'SWAP', status: 'pending', description: 'Swap USDC for BRLA on chain 31337.' }],
      },
      fees: { total: '0.5', currency: 'USD', breakdown: [{ type: 'gas', amount: '0.5', token: null }] },
      steps: [{ stepIndex: 0, status: 'PENDING', legs: [{ kind: 'SWAP', status: 'PENDING', operator: 'USER' }] }],
    });
  });

  it('reject a page out of range, with its path', async () => {
    const source =
      '{ actions(walletAddress: "0x00000000000000000000000000000000000A11cE", limit: 101) { pagination { total } } }';
    const result = await run({ source, customerId: newCustomer() });
    expect(result.errors?.[0]?.originalError).toMatchObject({ status: 422, details: { errors: [{ path: 'limit' }] } });
  });

  it('are one query for all wallets of a request', async () => {
    const customerId = newCustomer();
    const wallets = Array.from({ length: 25 }, (_, index) => `0x${String(index).padStart(40, '0')}`);
    for (const originAddress of wallets) await createSampleAction(test.database, { customerId, originAddress });
    let queries = 0;
    const $queryRaw = (...args: unknown[]) => {
      queries += 1;
      return (test.database.$queryRaw as unknown as (...all: unknown[]) => unknown).apply(test.database, args);
    };
    const representations = wallets.map((address) => `{ __typename: "Wallet", address: "${address}" }`).join(', ');
    const source = `{ _entities(representations: [${representations}]) { ... on Wallet { actions(limit: 5) { pagination { total } } } } }`;
    const { data, errors } = await run({ source, customerId, database: { $queryRaw } as never });
    expect(errors).toBeUndefined();
    expect(data?.['_entities']).toEqual(wallets.map(() => ({ actions: { pagination: { total: 1 } } })));
    expect(queries).toBe(1);
  });

  it('are the history of a wallet in pages of up to 500, by every filter and sort', async () => {
    const customerId = newCustomer();
    const originAddress = '0x00000000000000000000000000000000000A11ce';
    await createSampleAction(test.database, { customerId, originAddress });
    const { id } = await createSampleAction(test.database, { customerId, originAddress });
    await test.database.action.update({ where: { id }, data: { status: 'SUCCESS', finishedAt: new Date() } });
    const historyWith = async (given: string, by = customerId) => {
      const wallet = `{ __typename: "Wallet", address: "${originAddress}" }`;
      const selection = `history${given} { data { status } pagination { page limit total totalPages hasMore } }`;
      const source = `{ _entities(representations: [${wallet}]) { ... on Wallet { ${selection} } } }`;
      return run({ source, customerId: by });
    };
    const page = async (given: string, by = customerId) => {
      const { data, errors } = await historyWith(given, by);
      expect(errors).toBeUndefined();
      return (data as any)._entities[0].history;
    };
    expect((await page('')).pagination).toEqual({ page: 1, limit: 50, total: 2, totalPages: 1, hasMore: false });
    expect((await page('(limit: 500)')).pagination).toMatchObject({ limit: 500, total: 2 });
    expect(await page('(limit: 1, page: 2, sortBy: finishedAt, sortOrder: asc)')).toEqual({
      data: [{ status: 'INITIAL' }],
      pagination: { page: 2, limit: 1, total: 2, totalPages: 2, hasMore: false },
    });
    expect((await page('(status: SUCCESS)')).data).toEqual([{ status: 'SUCCESS' }]);
    expect((await page('(type: TRANSFER_OUT)')).pagination.total).toBe(0);
    expect((await page('', newCustomer())).pagination.total).toBe(0);
    for (const given of ['(limit: 501)', '(limit: 0)', '(page: 0)']) {
      expect(codeOf(await historyWith(given))).toBe('VALIDATION_ERROR');
    }
  });

  it('are read after a cursor, in one query for all wallets of a request', async () => {
    const customerId = newCustomer();
    const wallets = Array.from({ length: 3 }, (_, index) => `0x${String(index).padStart(40, '0')}`);
    for (const originAddress of [...wallets, ...wallets, ...wallets])
      await createSampleAction(test.database, { customerId, originAddress, receiverAddress: originAddress });
    let queries = 0;
    const $queryRaw = (...args: unknown[]) => {
      queries += 1;
      return (test.database.$queryRaw as unknown as (...all: unknown[]) => unknown).apply(test.database, args);
    };
    const representations = wallets.map((address) => `{ __typename: "Wallet", address: "${address}" }`).join(', ');
    const connect = async (given: string) => {
      const selection = 'edges { cursor node { id } } nodes { id } pageInfo { hasNextPage endCursor } totalCount';
      const source = `{ _entities(representations: [${representations}]) { ... on Wallet { actionsConnection(${given}) { ${selection} } } } }`;
      const { data, errors } = await run({ source, customerId, database: { $queryRaw } as never });
      expect(errors).toBeUndefined();
      return (data!['_entities'] as { actionsConnection: Connection }[]).map((entity) => entity.actionsConnection);
    };
    const first = await connect('first: 2');
    expect(first.map(({ nodes, totalCount, pageInfo }) => [nodes.length, totalCount, pageInfo.hasNextPage])).toEqual(
      wallets.map(() => [2, 3, true]),
    );
    const rest = await connect(`first: 2, after: "${first[0]!.pageInfo.endCursor}"`);
    expect(rest[0]).toMatchObject({ edges: [{}], pageInfo: { hasNextPage: false } });
    expect(first[0]!.nodes).not.toContainEqual(rest[0]!.nodes[0]);
    expect(queries).toBe(2);
  });

  it.each(['after: "nonsense"', 'first: 101', 'first: 0'])('reject a connection with %s', async (given) => {
    const source = `{ _entities(representations: [{ __typename: "Wallet", address: "0x0000000000000000000000000000000000000001" }]) { ... on Wallet { actionsConnection(${given}) { totalCount } } } }`;
    expect(codeOf(await run({ source, customerId: newCustomer() }))).toBe('VALIDATION_ERROR');
  });

  it('include the status of a swap whose quote has no action yet', async () => {
    const customerId = newCustomer();
    const quoteId = await sampleQuote(test.database, customerId);
    const source = `{ swapStatus(id: "${quoteId}") { id status substatus provider } }`;
    expect((await run({ source, customerId })).data?.['swapStatus']).toEqual({
      id: quoteId,
      status: 'INITIAL',
      substatus: 'WAITING_ORIGIN',
      provider: 'uniswap-v3',
    });
    expect(codeOf(await run({ source, customerId: newCustomer() }))).toBe('QUOTE_NOT_FOUND');
  });

  it.each(['txHash', 'btcTxHash'])('let a viewer read the status of a swap, not report its %s', async (argument) => {
    const { quoteId, customerId } = await createSampleAction(test.database);
    const read = await run({ source: `{ swapStatus(id: "${quoteId}") { status } }`, customerId, role: 'viewer' });
    expect(read.data?.['swapStatus']).toEqual({ status: 'INITIAL' });
    const report = `{ swapStatus(id: "${quoteId}", ${argument}: "0x${'ab'.repeat(32)}") { status } }`;
    expect(codeOf(await run({ source: report, customerId, role: 'viewer' }))).toBe('FORBIDDEN');
    expect(codeOf(await run({ source: report, customerId, role: 'developer' }))).not.toBe('FORBIDDEN');
  });
});
