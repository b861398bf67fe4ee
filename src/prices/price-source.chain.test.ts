import {
  type Address,
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  maxUint256,
  parseAbi,
  parseUnits,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type FaultyUpstream, startFaultyUpstream } from '../../test/contract/faulty-upstream';
import { asChain, localToken, rpcOf } from '../../test/contract/local-swaps';
import { minedReceipt } from '../../test/setup/mined-receipt';
import { chainNamed, snapshotOf, type TestUniverse, universeOfTests } from '../../test/setup/universe-of-tests';
import { createChainTable } from '../chains/chain-table';
import { KNOWN_CHAINS } from '../chains/known-chains';
import { formatUsdPrice, ONE_DOLLAR, type UsdPrice } from '../money/usd';
import { createPoolDirectory } from '../pools/pool-directory';
import { createPriceSource, type PriceSource } from './price-source';

let universe: TestUniverse;
let chain: ReturnType<typeof chainNamed>;
let upstream: FaultyUpstream;
beforeAll(async () => {
  universe = await universeOfTests();
  chain = chainNamed(universe, 'devnet');
  upstream = await startFaultyUpstream(chain.rpcUrl);
});
afterAll(() => upstream.close());
afterEach(() => upstream.injectFault(undefined));

function newPrices(): PriceSource {
  const rpc = rpcOf(universe.chains, { devnet: upstream.url });
  const chains = createChainTable(universe.chains.map(asChain));
  // No price expires during a test.
  return createPriceSource({ rpc, chains, pools: createPoolDirectory({ rpc }), freshMs: 3_600_000 });
}
/** In US dollars; a double is precise enough for these tests. */
const dollarsOf = (price: { readonly usd: UsdPrice } | undefined): number | undefined =>
  price && Number.parseFloat(formatUsdPrice(price.usd));
const usdOf = async (prices: PriceSource, symbol: string): Promise<number | undefined> =>
  dollarsOf(await prices.priceUsd(localToken(chain, symbol)));

describe('prices', () => {
  it.each([
    ['USDC', 1, 0],
    ['WETH', 3000, 5],
    ['ETH', 3000, 5],
    ['WBTC', 90_000, 500],
    ['BRLA', 1 / 5.4, 0.002],
    ['RUSD', 1, 0.002],
    ['TOLL', 3, 0.05],
  ])('of %s are about %d dollars', async (symbol, expected, tolerance) => {
    const usd = await usdOf(newPrices(), symbol);
    expect(Math.abs(usd! - expected)).toBeLessThanOrEqual(tolerance);
  });

  it('of bank reais follow a BRL token, and a bank dollar costs one dollar', async () => {
    const inBank = (address: string) => ({
      chainId: 0,
      address,
      symbol: address,
      name: address,
      decimals: 2,
      logoURI: undefined,
    });
    const prices = newPrices();
    const real = await prices.priceUsd(inBank('BRL'));
    expect(Math.abs(dollarsOf(real)! - 1 / 5.4)).toBeLessThanOrEqual(0.002);
    expect(real!.source).toMatch(/^uniswap-v\d:0x/);
    expect(await prices.priceUsd(inBank('USD'))).toMatchObject({ usd: ONE_DOLLAR, source: 'peg' });
  });

  it('of bitcoin follow a token of it', async () => {
    const bitcoin = KNOWN_CHAINS.find(({ kind }) => kind === 'bitcoin')!;
    const rpc = rpcOf(universe.chains);
    const chains = createChainTable([bitcoin, ...universe.chains.map(asChain)]);
    const prices = createPriceSource({ rpc, chains, pools: createPoolDirectory({ rpc }) });
    const coin = { chainId: bitcoin.chainId, address: 'BTC', ...bitcoin.nativeCurrency, logoURI: undefined };
    const usd = dollarsOf(await prices.priceUsd(coin));
    expect(Math.abs(usd! - 90_000)).toBeLessThanOrEqual(500);
  });

  it('are missing for a token without a pool', async () => {
    expect(await usdOf(newPrices(), 'ISLE')).toBeUndefined();
  });

  it('name their source and the time of the read', async () => {
    const before = Date.now();
    const price = await newPrices().priceUsd(localToken(chain, 'WETH'));
    expect(price!.source).toMatch(/^uniswap-v3:0x/);
    expect(price!.asOf.getTime()).toBeGreaterThanOrEqual(before);
    expect(price!.asOf.getTime()).toBeLessThanOrEqual(Date.now());
  });

  it('of many tokens on two chains take one call per chain, shared by concurrent callers', async () => {
    const prices = newPrices();
    const symbols = ['WETH', 'ETH', 'WBTC', 'BRLA', 'DAI', 'ISLE'];
    const tokens = universe.chains.flatMap((each) => symbols.map((symbol) => localToken(each, symbol)));
    const before = upstream.requests();
    const all = await Promise.all(Array.from({ length: 20 }, () => prices.pricesUsd(tokens)));
    expect(upstream.requests() - before).toBe(3); // the id of the chain, the addresses of the pools, and their state
    for (const each of all) expect(each).toEqual(all[0]);
    const usd = all[0]!.map((price) => price?.usd);
    expect(usd[0]).not.toBe(usd[symbols.length]); // each chain has its own pools
    expect(usd[symbols.indexOf('ISLE')]).toBeUndefined();
    await prices.pricesUsd(tokens);
    expect(upstream.requests() - before).toBe(3);
  });

  it('are missing, not wrong, while the node of a chain fails; the other chain is not affected', async () => {
    const prices = newPrices();
    upstream.injectFault('responds with 500');
    const weth = universe.chains.map((each) => localToken(each, 'WETH'));
    const [here, there] = await prices.pricesUsd(weth);
    expect(here).toBeUndefined();
    expect(dollarsOf(there)).toBeGreaterThan(2900);
    upstream.injectFault(undefined);
    expect(await usdOf(prices, 'WETH')).toBeGreaterThan(2900);
  });

  it('ignore pools with almost no value', async () => {
    const goBack = await snapshotOf(chain);
    const before = await usdOf(newPrices(), 'DAI');
    await fillPool('ISLE', 'USDC', ['1', '500']);
    await fillPool('BRLA', 'DAI', ['4000', '0.5']);
    const prices = newPrices();
    const [isle, dai, brla] = await Promise.all(['ISLE', 'DAI', 'BRLA'].map((symbol) => usdOf(prices, symbol)));
    await fillPool('ISLE', 'USDC', ['4', '2000']);
    const enough = await usdOf(newPrices(), 'ISLE');
    await goBack();
    expect(isle).toBeUndefined();
    expect(dai).toBe(before);
    expect(brla).toBeCloseTo(1 / 5.4, 2);
    expect(enough).toBeCloseTo(500, 6);
  });
});

const router02 = parseAbi([
  'function addLiquidity(address, address, uint256, uint256, uint256, uint256, address, uint256)',
]);

/** Adds liquidity in whole tokens to a V2 pool, from account 4. */
async function fillPool(symbolA: string, symbolB: string, amounts: readonly [string, string]): Promise<void> {
  const account = privateKeyToAccount(universe.accounts[4]!.privateKey);
  const wallet = createWalletClient({ account, transport: http(chain.rpcUrl) });
  const router = chain.uniswapV2.router;
  const [a, b] = [localToken(chain, symbolA), localToken(chain, symbolB)];
  const [amountA, amountB] = [parseUnits(amounts[0], a.decimals), parseUnits(amounts[1], b.decimals)];
  const sent: Hex[] = [];
  for (const { address } of [a, b]) {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [router, maxUint256] });
    sent.push(await wallet.sendTransaction({ to: address as Address, data, chain: null }));
  }
  const args = [
    ...([a.address as Address, b.address as Address, amountA, amountB] as const),
    ...([0n, 0n, account.address, maxUint256] as const),
  ] as const;
  sent.push(
    await wallet.writeContract({
      address: router,
      abi: router02,
      functionName: 'addLiquidity',
      args,
      gas: 5_000_000n,
      chain: null,
    }),
  );
  const reader = rpcOf([chain]).client(chain.chainId);
  for (const hash of sent) {
    const { status } = await minedReceipt(reader, hash);
    expect(status).toBe('success');
  }
}
