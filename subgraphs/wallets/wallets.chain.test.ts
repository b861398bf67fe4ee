import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { graphql } from 'graphql';
import { asChain } from '../../test/contract/local-swaps';
import { newCustomer } from '../../test/actions/sample-action';
import { tokenBalanceDeps } from '../../test/portfolio/token-balance-deps';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { type TestUniverse, universeOfTests } from '../../test/setup/universe-of-tests';
import type { CustomerId, Principal } from '../../src/auth/principal';
import { createRequestContext } from '../../src/auth/request-context';
import { createChainTable } from '../../src/chains/chain-table';
import { createRpc } from '../../src/rpc/rpc';
import { createWalletsSubgraph } from './index';

const SOLANA = 'So11111111111111111111111111111111111111112';

let test: TestDatabase;
let universe: TestUniverse;
let accounts: TestUniverse['accounts'];
beforeAll(async () => {
  [test, universe] = await Promise.all([createTestDatabase(), universeOfTests()]);
  accounts = universe.accounts;
});
afterAll(() => test.drop());

/** Forwards everything to a node, and records the called methods. */
async function startRecorder(target: string): Promise<{ url: string; methods: string[]; server: Server }> {
  const methods: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      methods.push(...[JSON.parse(body)].flat().map(({ method }: { method: string }) => method));
      const reply = await fetch(target, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
      response.setHeader('content-type', 'application/json').end(await reply.text());
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, methods, server };
}

function subgraph(urls: Readonly<Record<string, string>> = {}) {
  const chains = createChainTable(universe.chains.map(asChain));
  const rpcUrls = new Map(universe.chains.map(({ chainId, slug, rpcUrl }) => [chainId, urls[slug] ?? rpcUrl]));
  const rpc = createRpc({ chains: { table: chains, rpcUrls }, log: { warn: () => undefined }, timeoutMs: 60_000 });
  const blockedAddresses = new Set<string>();
  const ledger = { pool: test.pool, watch: { maxWatchedWallets: 10 }, isIndexed: () => true };
  return createWalletsSubgraph({ ...tokenBalanceDeps(test, { chains, rpc }), rpc, blockedAddresses, ...ledger });
}

function run(schema: ReturnType<typeof subgraph>, source: string, customerId: CustomerId) {
  return runAs({ kind: 'apiKey', customerId, keyId: 'key' }, schema, source);
}

function runAs(principal: Principal, schema: ReturnType<typeof subgraph>, source: string) {
  const contextValue = createRequestContext({ requestId: 'r', principal, signal: new AbortController().signal });
  return graphql({ schema: schema.schema, source, contextValue });
}

describe('wallets', () => {
  it('belong to the customer that queries them, from the first query on', async () => {
    const customerId = newCustomer();
    const query = `{ wallet(address: "${accounts[0]!.address}") { address firstSeenAt } }`;
    const first = await run(subgraph(), query, customerId);
    expect(first.data?.['wallet']).toMatchObject({ address: accounts[0]!.address });
    expect(await run(subgraph(), query, customerId)).toEqual(first);
    await Promise.all(Array.from({ length: 5 }, () => run(subgraph(), query, customerId)));
    const list = '{ wallets { data { address } pagination { total hasMore } } }';
    expect((await run(subgraph(), list, customerId)).data).toEqual({
      wallets: { data: [{ address: accounts[0]!.address }], pagination: { total: 1, hasMore: false } },
    });
    expect((await run(subgraph(), list, newCustomer())).data).toMatchObject({ wallets: { data: [] } });
  });

  it('are not stored for a viewer, who gets the address with the current time, or the stored wallet', async () => {
    const customerId = newCustomer();
    const viewer = { kind: 'bearer', customerId, subject: 'user', role: 'viewer' } as const;
    const query = `{ wallet(address: "${accounts[0]!.address}") { address firstSeenAt } }`;
    const first = await runAs(viewer, subgraph(), query);
    expect(first.data?.['wallet']).toMatchObject({ address: accounts[0]!.address, firstSeenAt: expect.any(String) });
    expect(await test.database.customerWallet.count({ where: { customerId } })).toBe(0);
    const stored = await run(subgraph(), query, customerId);
    expect(await runAs(viewer, subgraph(), query)).toEqual(stored);
  });

  it('report the native balances of all wallets of a request with one call for each chain', async () => {
    const customerId = newCustomer();
    for (const { address } of accounts)
      await run(subgraph(), `{ wallet(address: "${address}") { address } }`, customerId);
    const recorders = await Promise.all(universe.chains.map(({ rpcUrl }) => startRecorder(rpcUrl)));
    const urls = Object.fromEntries(universe.chains.map(({ slug }, index) => [slug, recorders[index]!.url]));
    const source = '{ wallets(limit: 50) { data { address nativeBalances { chainId symbol amount humanized } } } }';
    const { data, errors } = await run(subgraph(urls), source, customerId);
    for (const { server } of recorders) server.close();
    expect(errors).toBeUndefined();
    const wallets = (data as any).wallets.data as { nativeBalances: { chainId: number; amount: string }[] }[];
    expect(wallets).toHaveLength(accounts.length);
    for (const { nativeBalances } of wallets) {
      expect(nativeBalances.map(({ chainId }) => chainId)).toEqual(universe.chains.map(({ chainId }) => chainId));
      for (const { amount } of nativeBalances) expect(BigInt(amount)).toBeGreaterThan(10n ** 18n);
    }
    // The id of the chain is confirmed once, before the first call.
    const requests = ['eth_chainId', 'eth_call'];
    expect(recorders.map(({ methods }) => methods)).toEqual([requests, requests]);
  });

  it('report the balances of the other chains when a chain is unavailable', async () => {
    const source = `{ wallet(address: "${accounts[1]!.address}") { nativeBalances { amount humanized } } }`;
    const { data, errors } = await run(subgraph({ devnet: 'http://127.0.0.1:1' }), source, newCustomer());
    expect(errors).toBeUndefined();
    const balances = (data as any).wallet.nativeBalances;
    expect(balances[0]).toEqual({ amount: null, humanized: null });
    expect(BigInt(balances[1].amount)).toBeGreaterThan(0n);
  });

  it('have no balance on chains of another kind', async () => {
    const source = `{ wallet(address: "${SOLANA}") { address nativeBalances { amount } } }`;
    const { data } = await run(subgraph(), source, newCustomer());
    expect(data).toEqual({ wallet: { address: SOLANA, nativeBalances: [] } });
  });

  it('are absent as entities for customers that never queried them', async () => {
    const customerId = newCustomer();
    const source = `{ _entities(representations: [{ __typename: "Wallet", address: "${accounts[2]!.address}" }]) { ... on Wallet { firstSeenAt } } }`;
    expect((await run(subgraph(), source, customerId)).data).toEqual({ _entities: [null] });
    await run(subgraph(), `{ wallet(address: "${accounts[2]!.address}") { address } }`, customerId);
    expect((await run(subgraph(), source, customerId)).data).toMatchObject({
      _entities: [{ firstSeenAt: expect.any(String) }],
    });
  });
});
