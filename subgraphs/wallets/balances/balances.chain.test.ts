import { isDeepStrictEqual } from 'node:util';
import { graphql } from 'graphql';
import { type Address, getAddress } from 'viem';
import { asChain } from '../../../test/contract/local-swaps';
import { placeContract } from '../../../test/contract/broken-tokens';
import { createSampleAction, newCustomer, sampleToken } from '../../../test/actions/sample-action';
import { until } from '../../../test/resilience/until';
import { tokenBalanceDeps } from '../../../test/portfolio/token-balance-deps';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import {
  chainNamed,
  haltBlocks,
  type TestUniverse,
  tokenNamed,
  universeOfTests,
} from '../../../test/setup/universe-of-tests';
import type { CustomerId, Principal } from '../../../src/auth/principal';
import { createRequestContext } from '../../../src/auth/request-context';
import { createChainTable } from '../../../src/chains/chain-table';
import { createRpc, type Rpc } from '../../../src/rpc/rpc';
import { createWalletsSubgraph } from '../index';

const BLOCKED = '0x000000000000000000000000000000000000dEaD';

let test: TestDatabase;
let universe: TestUniverse;
let devnet: ReturnType<typeof chainNamed>;
beforeAll(async () => {
  [test, universe] = await Promise.all([createTestDatabase(), universeOfTests()]);
  devnet = chainNamed(universe, 'devnet');
  // Balances of a block that is not the latest one any more would be read again.
  await Promise.all(universe.chains.map(haltBlocks));
});
afterAll(() => test.drop());

interface World {
  readonly schema: ReturnType<typeof createWalletsSubgraph>['schema'];
  /** Chains whose nodes do not respond. */
  readonly down: Set<number>;
  /** Requests to the node of each chain. */
  readonly requests: Map<number, number>;
}

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
  const ledger = { pool: test.pool, watch: { maxWatchedWallets: 10 }, isIndexed: () => false };
  const deps = { ...tokenBalanceDeps(test, { chains, rpc }), rpc, blockedAddresses: new Set([BLOCKED]), ...ledger };
  return { schema: createWalletsSubgraph(deps).schema, down, requests };
}

async function run({ schema }: World, source: string, by: CustomerId | Principal): Promise<any> {
  const principal: Principal = typeof by === 'string' ? { kind: 'apiKey', customerId: by, keyId: 'key' } : by;
  const contextValue = createRequestContext({ requestId: 'r', principal, signal: new AbortController().signal });
  return graphql({ schema, source, contextValue });
}

const FIELDS = `chainId chain asOf { blockNumber time } isStale ageSeconds error { code message retryable } isTruncated
  hiddenSpam totalTokens tokens(limit: 500) { address symbol name decimals isNative isListed isPinned amount humanized problem
  spam { score isSpam reasons } }`;
const balancesOf = async (at: World, by: CustomerId | Principal, [address, args = '']: readonly [string, string?]) => {
  const given = args === '' ? '' : `(${args})`;
  const { data, errors } = await run(at, `{ wallet(address: "${address}") { balances${given} { ${FIELDS} } } }`, by);
  if (errors !== undefined) throw errors[0].originalError ?? errors[0];
  return data.wallet.balances as any[];
};
const usdc = (): Address => tokenNamed(devnet, 'USDC').address;
const find = (section: any, address: string) => section.tokens.find((token: any) => token.address === address);
const pinIn = (customerId: CustomerId, wallet: string, token: string) =>
  test.database.pinnedToken.create({ data: { customerId, wallet, chainId: BigInt(devnet.chainId), token } });

describe('balances of a wallet', () => {
  it('have the native coin and the listed tokens that it holds, each chain with its block', async () => {
    const { address } = universe.accounts[2]!;
    const sections = await balancesOf(world(), newCustomer(), [address]);
    expect(sections.map(({ chain }) => chain)).toEqual(universe.chains.map(({ slug }) => slug));
    for (const section of sections) {
      expect(section).toMatchObject({ isStale: false, error: null, isTruncated: false, hiddenSpam: 0 });
      expect(section.asOf.blockNumber).toBeGreaterThan(0);
      expect(section.totalTokens).toBe(section.tokens.length);
      expect(section.tokens[0]).toMatchObject({ isNative: true, isListed: true, symbol: 'ETH', problem: null });
    }
    expect(find(sections[0], usdc())).toMatchObject({
      symbol: 'USDC',
      decimals: 6,
      amount: '1000000000000',
      humanized: '1000000',
      isListed: true,
      isPinned: false,
      spam: { score: 0, isSpam: false, reasons: [] },
    });
  });

  it('have tokens of 0 on request, and the chains that are named', async () => {
    const empty = '0x00000000000000000000000000000000000E3331';
    const at = world();
    const [plain, ...others] = await balancesOf(at, newCustomer(), [empty, `chainIds: [${devnet.chainId}]`]);
    expect([others, plain.tokens]).toEqual([[], [expect.objectContaining({ isNative: true, amount: '0' })]]);
    const [all] = await balancesOf(at, newCustomer(), [empty, `chainIds: [${devnet.chainId}], includeZero: true`]);
    expect(all.tokens).toHaveLength(1 + devnet.tokens.length);
    await expect(balancesOf(at, newCustomer(), [empty, 'chainIds: [31337, 1]'])).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { errors: [{ path: 'chainIds.1' }] },
    });
  });

  it('have the tokens of its own actions and pinned tokens of the customer, and none of another customer', async () => {
    const [one, other] = [newCustomer(), newCustomer()];
    const { address } = universe.accounts[2]!;
    const at = world(['USDC', 'WETH', 'BRLA']);
    const [weth, brla] = ['WETH', 'BRLA'].map((symbol) => getAddress(tokenNamed(devnet, symbol).address));
    const [tokenIn, tokenOut] = [usdc(), weth!].map((token) => sampleToken('X', { address: token }));
    await createSampleAction(test.database, {
      customerId: one,
      originAddress: address,
      receiverAddress: address,
      chainIdIn: devnet.chainId,
      chainIdOut: devnet.chainId,
      tokenIn: tokenIn!,
      tokenOut: tokenOut!,
    });
    await pinIn(one, address, brla!);
    const [own] = await balancesOf(at, one, [address]);
    expect(find(own, usdc())).toMatchObject({ symbol: 'USDC', decimals: 6, isListed: false, amount: '1000000000000' });
    expect(find(own, weth!)).toMatchObject({ symbol: 'WETH', isPinned: false });
    expect(own.tokens[1]).toMatchObject({ address: brla, isPinned: true });
    const [foreign] = await balancesOf(at, other, [address]);
    for (const token of [usdc(), weth!, brla!]) expect(find(foreign, token)).toBeUndefined();
  });

  it('of all wallets of a page are read with one request to each chain', async () => {
    const customerId = newCustomer();
    const at = world();
    for (const { address } of universe.accounts)
      await run(at, `{ wallet(address: "${address}") { address } }`, customerId);
    const { data, errors } = await run(at, `{ wallets(limit: 50) { data { balances { ${FIELDS} } } } }`, customerId);
    expect(errors).toBeUndefined();
    expect(data.wallets.data).toHaveLength(universe.accounts.length);
    expect([...at.requests.values()]).toEqual([1, 1]);
    const blocks = data.wallets.data.map(({ balances }: any) => balances[0].asOf.blockNumber);
    expect(new Set(blocks).size).toBe(1);
  });

  it('on a chain that is down are the last known ones with their block and age, and other chains are not affected', async () => {
    const customerId = newCustomer();
    const { address } = universe.accounts[2]!;
    const at = world();
    const [before, l2] = await balancesOf(at, customerId, [address]);
    at.down.add(devnet.chainId);
    const [stale, other] = await balancesOf(at, customerId, [address]);
    expect(stale).toMatchObject({ isStale: true, asOf: before.asOf, tokens: before.tokens });
    expect(stale.ageSeconds).toBeGreaterThanOrEqual(0);
    expect(stale.error).toMatchObject({ code: 'PROVIDER_UNAVAILABLE', retryable: true });
    expect(stale.error.message).not.toContain('127.0.0.1');
    expect(other).toMatchObject({ isStale: false, error: null, chainId: l2.chainId });
    // What another customer has read is not shown.
    const [never] = await balancesOf(at, newCustomer(), [address]);
    expect(never).toMatchObject({ isStale: false, asOf: null, ageSeconds: null, tokens: [], totalTokens: 0 });
    expect(never.error).toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    at.down.clear();
    const [after] = await balancesOf(at, customerId, [address]);
    expect(after).toMatchObject({ isStale: false, error: null });
  });

  it('of a node that stands still are stale, with the age of its block', async () => {
    const { address } = universe.accounts[2]!;
    const customerId = newCustomer();
    const now = Date.now() + 600_000;
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now);
    const [section] = await balancesOf(world(), customerId, [address]).finally(() => clock.mockRestore());
    expect(section).toMatchObject({ isStale: true, error: null });
    expect(section.ageSeconds).toBe(Math.floor((now - Date.parse(section.asOf.time)) / 1000));
    expect(section.ageSeconds).toBeGreaterThan(500);
  });

  it('on a chain that stays down are reported without another request, until its breaker closes', async () => {
    const { address } = universe.accounts[2]!;
    const at = world();
    at.down.add(devnet.chainId);
    for (let attempt = 0; attempt < 8; attempt++) {
      const [section] = await balancesOf(at, newCustomer(), [address, `chainIds: [${devnet.chainId}]`]);
      expect(section.error.code).toBe('PROVIDER_UNAVAILABLE');
    }
    expect(at.requests.get(devnet.chainId)).toBe(5);
  });

  it('report broken tokens without an amount; one that breaks calls twice is in quarantine', async () => {
    const customerId = newCustomer();
    const { address } = universe.accounts[3]!;
    const at = world();
    const names = ['usesAllGas', 'returnsOneByte', 'returnsMaximum', 'returnsOneMegabyte'] as const;
    const tokens = await Promise.all(names.map((name) => placeContract(devnet, name, 77)));
    for (const token of tokens) await pinIn(customerId, address, token);
    const problems = async () => {
      const [section] = await balancesOf(at, customerId, [address, `chainIds: [${devnet.chainId}]`]);
      expect(find(section, usdc())).toMatchObject({ amount: '1000000000000', problem: null });
      return tokens.map((token) => [find(section, token).amount, find(section, token).problem]);
    };
    const maximum = [(2n ** 256n - 1n).toString(), null];
    const states = (hog: string) => [[null, hog], [null, 'INVALID_DATA'], maximum, [null, hog]];
    const hogs = [tokens[0]!, tokens[3]!];
    const strikes = async () =>
      (await test.database.brokenToken.findMany({ where: { token: { in: hogs } } })).map((row) => row.strikes);
    expect(await problems()).toEqual(states('REVERTED'));
    await until('the strikes are stored', async () => (await strikes()).join() === '1,1');
    await test.pool.query(`UPDATE "BrokenToken" SET "updatedAt" = "updatedAt" - interval '2 minutes'`);
    expect(await problems()).toEqual(states('REVERTED'));
    await until('the strikes are stored', async () => (await strikes()).join() === '2,2');
    await until('both are in quarantine', async () => isDeepStrictEqual(await problems(), states('QUARANTINED')));
  });

  it('leave out what looks like spam unless it is requested or pinned, and count it', async () => {
    const [customerId, pinner] = [newCustomer(), newCustomer()];
    const { address } = universe.accounts[2]!;
    const at = world(['USDC']);
    await test.database.tokenMetadata.deleteMany();
    const named = { symbol: 'BRLА', name: 'claim at brla.xyz', decimals: 6, flaws: [] };
    await test.database.tokenMetadata.create({ data: { chainId: devnet.chainId, address: usdc(), ...named } });
    const token = sampleToken('X', { address: usdc() });
    const sides = {
      originAddress: address,
      receiverAddress: address,
      chainIdIn: devnet.chainId,
      chainIdOut: devnet.chainId,
    };
    for (const by of [customerId, pinner])
      await createSampleAction(test.database, { customerId: by, ...sides, tokenIn: token, tokenOut: token });
    await pinIn(pinner, address, usdc());
    const [clean] = await balancesOf(at, customerId, [address]);
    expect([find(clean, usdc()), clean.hiddenSpam]).toEqual([undefined, 1]);
    const [all] = await balancesOf(at, customerId, [address, 'includeSpam: true']);
    expect(find(all, usdc())).toMatchObject({
      amount: '1000000000000',
      spam: { isSpam: true, score: 100, reasons: ['DOMAIN', 'LURE', 'CONFUSABLE_SYMBOL'] },
    });
    const [pinned] = await balancesOf(at, pinner, [address]);
    expect([find(pinned, usdc())?.isPinned, pinned.hiddenSpam]).toEqual([true, 0]);
    await test.database.tokenMetadata.deleteMany();
  });

  it('are refused for a blocked wallet, also in a list', async () => {
    const customerId = newCustomer();
    await test.database.customerWallet.create({ data: { customerId, address: BLOCKED } });
    const { errors } = await run(world(), `{ wallets { data { balances { chainId } } } }`, customerId);
    expect(errors[0].originalError).toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('pinning a token', () => {
  const mutate = (by: CustomerId | Principal, field: 'pinToken' | 'unpinToken', token: string = usdc()) => {
    const selection = field === 'pinToken' ? '{ chainId token pinnedAt }' : '';
    const args = `wallet: "${universe.accounts[4]!.address}", chainId: ${devnet.chainId}, token: "${token}"`;
    return run(world(), `mutation { ${field}(${args}) ${selection} }`, by);
  };
  const user = (customerId: CustomerId, role: 'developer' | 'viewer'): Principal => ({
    kind: 'bearer',
    customerId,
    subject: 'user',
    role,
  });

  it('shows it in the wallet until it is unpinned', async () => {
    const customerId = newCustomer();
    expect((await mutate(customerId, 'pinToken', usdc().toLowerCase())).data.pinToken).toMatchObject({ token: usdc() });
    const source = `{ wallet(address: "${universe.accounts[4]!.address}") { pinnedTokens { chainId token } } }`;
    expect((await run(world(), source, customerId)).data.wallet.pinnedTokens).toEqual([
      { chainId: devnet.chainId, token: usdc() },
    ]);
    expect((await run(world(), source, newCustomer())).data.wallet.pinnedTokens).toEqual([]);
    expect((await mutate(customerId, 'unpinToken')).data).toEqual({ unpinToken: true });
    expect((await mutate(customerId, 'unpinToken')).data).toEqual({ unpinToken: false });
  });

  it('is allowed to developers, and forbidden to viewers', async () => {
    const customerId = newCustomer();
    expect((await mutate(user(customerId, 'developer'), 'pinToken')).errors).toBeUndefined();
    for (const field of ['pinToken', 'unpinToken'] as const) {
      const { errors } = await mutate(user(customerId, 'viewer'), field);
      expect(errors[0].originalError).toMatchObject({ code: 'FORBIDDEN' });
    }
  });
});
