import { graphql } from 'graphql';
import { createSampleAction, newCustomer, sampleToken } from '../../../test/actions/sample-action';
import { asChain } from '../../../test/contract/local-swaps';
import { joiningRequests, type JoiningRequests } from '../../../test/portfolio/joining-requests';
import { tokenBalanceDeps } from '../../../test/portfolio/token-balance-deps';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { chainNamed, type TestUniverse, tokenNamed, universeOfTests } from '../../../test/setup/universe-of-tests';
import type { CustomerId } from '../../../src/auth/principal';
import { createRequestContext } from '../../../src/auth/request-context';
import { createChainTable } from '../../../src/chains/chain-table';
import { ONE_DOLLAR, parseUsd, toUsdPrice } from '../../../src/money/usd';
import type { TokenPriceReader } from '../../../src/prices/token-price';
import { createRpc, type Rpc } from '../../../src/rpc/rpc';
import { createWalletsSubgraph } from '../index';

let test: TestDatabase;
let universe: TestUniverse;
beforeAll(async () => {
  [test, universe] = await Promise.all([createTestDatabase(), universeOfTests()]);
});
afterAll(() => test.drop());

interface World {
  readonly schema: ReturnType<typeof createWalletsSubgraph>['schema'];
  /** Chains whose nodes do not respond. */
  readonly down: Set<number>;
  /** Requests to the node of each chain. */
  readonly requests: Map<number, number>;
  /** Symbols of the tokens of each reading of prices. */
  readonly priced: string[][];
  /** Readings of prices end once these have joined. */
  readonly joining: Pick<JoiningRequests, 'expect'>;
}

/** Dollars for one whole token. */
const PRICES: Readonly<Record<string, bigint>> = { ETH: 2000n, USDC: 1n };

/** The subgraph. `unlisted`: symbols of tokens that its chain table lacks. */
function world(unlisted: readonly string[] = []): World {
  const chains = createChainTable(
    universe.chains.map((chain) => {
      const tokens = chain.tokens.filter(({ symbol }) => !unlisted.includes(symbol));
      return { ...asChain(chain), tokens };
    }),
  );
  const rpcUrls = new Map(universe.chains.map(({ chainId, rpcUrl }) => [chainId, rpcUrl]));
  const log = { warn: () => undefined };
  const own = createRpc({ chains: { table: chains, rpcUrls }, log, timeoutMs: 10_000 });
  const dead = new Map(universe.chains.map(({ chainId }) => [chainId, 'http://127.0.0.1:1']));
  const broken = createRpc({ chains: { table: chains, rpcUrls: dead }, log, timeoutMs: 1000 });
  const [down, requests] = [new Set<number>(), new Map<number, number>()];
  const rpc: Rpc = {
    ...own,
    request: (chainId, run) => {
      requests.set(chainId, (requests.get(chainId) ?? 0) + 1);
      return (down.has(chainId) ? broken : own).request(chainId, run);
    },
  };
  const priced: string[][] = [];
  const { pool, ...joining } = joiningRequests(test.pool);
  const tokenPrices = pricesOf(priced, joining);
  const ledger = { pool, watch: { maxWatchedWallets: 10 }, isIndexed: () => false };
  const deps = { ...tokenBalanceDeps(test, { chains, rpc, tokenPrices }), rpc, blockedAddresses: new Set<string>() };
  return { schema: createWalletsSubgraph({ ...deps, ...ledger }).schema, down, requests, priced, joining };
}

/** A real is worth a fifth of a dollar. */
const pricesOf = (readings: string[][], joining: Pick<JoiningRequests, 'haveJoined'>): TokenPriceReader => ({
  async read(tokens) {
    readings.push(tokens.map(({ symbol }) => symbol));
    await joining.haveJoined();
    return tokens.map(({ symbol }) => {
      const dollars = symbol === 'BRL' ? ONE_DOLLAR / 5n : (PRICES[symbol] ?? 0n) * ONE_DOLLAR;
      const usdE24 = toUsdPrice(dollars);
      if (usdE24 === undefined) return { missing: 'NO_SOURCE' };
      const observed = { source: 'pool', asOf: new Date(), confidenceBps: 9000, kind: 'spot' as const };
      return { price: { usdE24, ...observed, flags: [], isConfirmed: false } };
    });
  },
});

async function run({ schema }: World, source: string, customerId: CustomerId): Promise<any> {
  const principal = { kind: 'apiKey', customerId, keyId: 'key' } as const;
  const contextValue = createRequestContext({ requestId: 'r', principal, signal: new AbortController().signal });
  return graphql({ schema, source, contextValue });
}

const POSITION = `id chainId address symbol name decimals logoURI amount humanized price amountInUSD amountInBRL
  isPriceConfirmed stale asOf isNative isListed isPinned spam { isSpam }`;
const FIELDS = `positions { ${POSITION} } summary { totalAmountInUSD totalAmountInBRL }
  staleness { stalePositions oldestAsOf } errors { code message chainId address } isTruncated`;

async function tokensOf(at: World, customerId: CustomerId, [address, args = '']: readonly [string, string?]) {
  const { data, errors } = await run(
    at,
    `{ wallet(address: "${address}") { tokens${args} { ${FIELDS} } } }`,
    customerId,
  );
  if (errors !== undefined) throw errors[0].originalError ?? errors[0];
  return data.wallet.tokens;
}

const holder = () => universe.accounts[2]!.address;
const sumOf = (positions: readonly any[]): bigint =>
  positions.reduce<bigint>((sum, { amountInUSD }) => sum + (amountInUSD === null ? 0n : parseUsd(amountInUSD)!), 0n);

/** The errors besides those of listed tokens without a price, which are exactly the positions without a value. */
function otherErrors({ positions, errors }: any): readonly any[] {
  const unpriced = errors.filter(({ code }: any) => code === 'PRICE_MISSING');
  const placeOf = ({ chainId, address }: any): string => `${chainId} ${address}`;
  const withoutValue = positions.filter(({ amountInUSD }: any) => amountInUSD === null);
  expect(unpriced.map(placeOf).sort()).toEqual(withoutValue.map(placeOf).sort());
  return errors.filter(({ code }: any) => code !== 'PRICE_MISSING');
}

describe('the tokens of a wallet', () => {
  it('are its positions on all chains with prices and values, whose sum is the total', async () => {
    const devnet = chainNamed(universe, 'devnet');
    const tokens = await tokensOf(world(), newCustomer(), [holder()]);
    const { positions, summary, staleness } = tokens;
    const usdc = positions.find(({ chainId, symbol }: any) => chainId === devnet.chainId && symbol === 'USDC');
    const { address } = tokenNamed(devnet, 'USDC');
    expect(usdc).toMatchObject({
      id: `${devnet.chainId}:${address}`,
      address,
      decimals: 6,
      amount: '1000000000000',
      humanized: '1000000',
      price: 1,
      amountInUSD: '1000000',
      amountInBRL: '5000000',
      isPriceConfirmed: false,
      stale: false,
      isListed: true,
    });
    expect(new Set(positions.map(({ chainId }: any) => chainId)).size).toBe(universe.chains.length);
    expect(sumOf(positions)).toBe(parseUsd(summary.totalAmountInUSD));
    expect(positions.find(({ symbol }: any) => symbol === 'WETH')).toMatchObject({ price: null, amountInUSD: null });
    expect(staleness.stalePositions).toBe(0);
    const times = positions.map(({ asOf }: any) => asOf).sort();
    expect([staleness.oldestAsOf, otherErrors(tokens)]).toEqual([times[0], []]);
  });

  it('take one call to each chain and one reading of prices for all wallets of a request', async () => {
    const customerId = newCustomer();
    const at = world();
    for (const { address } of universe.accounts.slice(0, 4)) {
      await run(at, `{ wallet(address: "${address}") { address } }`, customerId);
    }
    at.requests.clear();
    const source = '{ wallets { data { tokens { summary { totalAmountInUSD } } } } }';
    const { data, errors } = await run(at, source, customerId);
    expect(errors).toBeUndefined();
    expect(data.wallets.data).toHaveLength(4);
    expect([...at.requests.values()]).toEqual(universe.chains.map(() => 1));
    expect(at.priced).toHaveLength(1);
    expect(new Set(at.priced[0]).size).toBeGreaterThan(2);
  });

  it('are read once for concurrent requests of a customer, and anew for later ones and for other customers', async () => {
    const [one, other] = [newCustomer(), newCustomer()];
    const at = world();
    await run(at, `{ wallet(address: "${holder()}") { address } }`, one);
    at.joining.expect(10);
    await Promise.all(Array.from({ length: 10 }, () => tokensOf(at, one, [holder()])));
    expect(at.priced).toHaveLength(1);
    await tokensOf(at, one, [holder()]);
    await Promise.all([tokensOf(at, one, [holder()]), tokensOf(at, other, [holder()])]);
    expect(at.priced).toHaveLength(4); // one for each customer and time
  });

  it('are the last known ones of a chain that is down, marked, beside the present ones of the others', async () => {
    const customerId = newCustomer();
    const at = world();
    const before = await tokensOf(at, customerId, [holder()]);
    const { chainId } = chainNamed(universe, 'devnet-l2');
    at.down.add(chainId);
    const after = await tokensOf(at, customerId, [holder()]);
    const ids = ({ positions }: any) => positions.map(({ id }: any) => id).sort();
    expect(ids(after)).toEqual(ids(before));
    for (const position of after.positions) expect(position.stale).toBe(position.chainId === chainId);
    expect(after.staleness.stalePositions).toBe(
      before.positions.filter((position: any) => position.chainId === chainId).length,
    );
    expect(otherErrors(after)).toEqual([
      { code: 'PROVIDER_UNAVAILABLE', message: expect.any(String), chainId, address: null },
    ]);
  });

  it('of a chain that was never read are missing, with its error, and the total is that of the others', async () => {
    const at = world();
    const { chainId } = chainNamed(universe, 'devnet-l2');
    at.down.add(chainId);
    const tokens = await tokensOf(at, newCustomer(), [holder()]);
    const { positions, summary, staleness } = tokens;
    expect(positions.length).toBeGreaterThan(0);
    expect(positions.every((position: any) => position.chainId !== chainId)).toBe(true);
    expect(sumOf(positions)).toBe(parseUsd(summary.totalAmountInUSD));
    const codes = otherErrors(tokens).map(({ code }) => code);
    expect([staleness.stalePositions, codes]).toEqual([0, ['PROVIDER_UNAVAILABLE']]);
  });

  it('leave out spam, which is shown on request without a price, and counts once the customer has pinned it', async () => {
    const customerId = newCustomer();
    const devnet = chainNamed(universe, 'devnet');
    const { address: token } = tokenNamed(devnet, 'USDC');
    const at = world(['USDC']);
    const lure = { symbol: 'USDC', name: 'claim your rewards', decimals: 6, flaws: [] };
    await test.database.tokenMetadata.create({ data: { chainId: devnet.chainId, address: token, ...lure } });
    const asset = sampleToken('X', { address: token });
    const sides = { originAddress: holder(), receiverAddress: holder() };
    const chains = { chainIdIn: devnet.chainId, chainIdOut: devnet.chainId };
    await createSampleAction(test.database, { customerId, ...sides, ...chains, tokenIn: asset, tokenOut: asset });
    const find = ({ positions }: any) => positions.find(({ address }: any) => address === token);
    const without = await tokensOf(at, customerId, [holder()]);
    expect(find(without)).toBeUndefined();
    const all = await tokensOf(at, customerId, [holder(), '(includeSpam: true)']);
    expect(find(all)).toMatchObject({ amount: '1000000000000', price: null, spam: { isSpam: true } });
    expect(all.summary).toEqual(without.summary);
    const pin = { customerId, wallet: holder(), chainId: BigInt(devnet.chainId), token };
    await test.database.pinnedToken.create({ data: pin });
    const pinned = await tokensOf(at, customerId, [holder()]);
    expect(find(pinned)).toMatchObject({ isPinned: true, amountInUSD: '1000000' });
    const grown = parseUsd(pinned.summary.totalAmountInUSD)! - parseUsd(without.summary.totalAmountInUSD)!;
    expect(grown).toBe(10n ** 12n);
    await test.database.tokenMetadata.deleteMany();
  });

  it('of an address without any are none, also of a contract and of a Solana key', async () => {
    const nothing = {
      positions: [],
      summary: { totalAmountInUSD: '0', totalAmountInBRL: '0' },
      staleness: { stalePositions: 0, oldestAsOf: null },
      errors: [],
      isTruncated: false,
    };
    const at = world();
    const usdc = tokenNamed(chainNamed(universe, 'devnet'), 'USDC').address;
    for (const address of ['0x00000000000000000000000000000000000E3331', usdc]) {
      expect(await tokensOf(at, newCustomer(), [address])).toEqual(nothing);
    }
    expect(await tokensOf(at, newCustomer(), ['So11111111111111111111111111111111111111112'])).toEqual(nothing);
  });

  it('are the same by cursors', async () => {
    const customerId = newCustomer();
    const at = world();
    const { positions } = await tokensOf(at, customerId, [holder()]);
    const found: string[] = [];
    let after = 'null';
    for (;;) {
      const slice = `positionsConnection(first: 3, after: ${after}) { nodes { id } edges { cursor node { id } } totalCount
        pageInfo { hasNextPage endCursor } }`;
      const { data, errors } = await run(at, `{ wallet(address: "${holder()}") { tokens { ${slice} } } }`, customerId);
      expect(errors).toBeUndefined();
      const { nodes, edges, pageInfo, totalCount } = data.wallet.tokens.positionsConnection;
      expect([edges.map(({ node }: any) => node), totalCount]).toEqual([nodes, positions.length]);
      found.push(...nodes.map(({ id }: any) => id));
      after = JSON.stringify(pageInfo.endCursor);
      if (!pageInfo.hasNextPage) break;
    }
    expect(found).toEqual(positions.map(({ id }: any) => id));
  });
});
