import { type Address, createWalletClient, encodeFunctionData, http as httpTransport, parseAbi } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { pythFeedId, SEQUENCER_FEED } from '../../devnet/prices/price-feeds';
import { startPriceEmulator } from '../../devnet/emulators/prices/start-price-emulator';
import type { DevnetChain } from '../../devnet/universe';
import { type Chain, FIAT_CHAIN_ID } from '../../src/chains/chain';
import { KNOWN_CHAINS } from '../../src/chains/known-chains';
import { createHttpClient, type HttpClient } from '../../src/http/http-client';
import { createChainlinkSource } from '../../src/prices/sources/chainlink/chainlink';
import { coinGeckoHeaders, createCoinGeckoSource } from '../../src/prices/sources/coingecko/coingecko';
import { createDefiLlamaSource } from '../../src/prices/sources/defillama/defillama';
import { createPtaxSource } from '../../src/prices/sources/ptax/ptax';
import { createPythSource } from '../../src/prices/sources/pyth/pyth';
import type { PricedToken, TokenPriceSource } from '../../src/prices/token-price';
import { chainNamed, snapshotOf, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import { NO_TIMEOUT_MS, startFaultyUpstream } from './faulty-upstream';
import { asChain, localToken, rpcOf } from './local-swaps';
import { describeTokenPriceSource, type SourceUnderTest, type WrongPrice } from './token-price-source';

const PRICES = { WETH: 3000.25, USDC: 0.9998, WBTC: 90_000.5, BRLA: 0.185185185185, ISLE: 7.2e-7 };
const FOREVER = 10 * 365 * 86_400;

const pricedIn = (chain: DevnetChain, symbol: string, configured: Chain = asChain(chain)): PricedToken => {
  const { address, decimals } = localToken(chain, symbol);
  return { chain: configured, address, decimals };
};

/** Changes of the emulator's prices that make all of them wrong. */
const CHANGES: Readonly<Record<WrongPrice, Record<string, unknown>>> = {
  zero: { prices: Object.fromEntries(Object.keys(PRICES).map((symbol) => [symbol, 0])) },
  negative: { prices: Object.fromEntries(Object.keys(PRICES).map((symbol) => [symbol, -1])) },
  implausible: { prices: Object.fromEntries(Object.keys(PRICES).map((symbol) => [symbol, 1e22])) },
  stale: { ageSeconds: FOREVER },
  'from the future': { ageSeconds: -3600 },
  'not a time': { time: 'yesterday' },
};

interface ThirdParty {
  readonly party: 'defillama' | 'coingecko' | 'pyth';
  readonly create: (deps: { readonly http: HttpClient }) => TokenPriceSource;
  readonly headers?: (baseUrl: string) => Readonly<Record<string, string>>;
  readonly known: readonly (readonly [symbol: keyof typeof PRICES, usd: string])[];
}

async function thirdParty({ party, create, headers, known }: ThirdParty): Promise<SourceUnderTest> {
  const universe = await universeOfTests();
  const chain = chainNamed(universe, 'devnet');
  const emulator = await startPriceEmulator({ chains: universe.chains, prices: PRICES, brlPerUsd: 5.4 });
  const isAmount = (path: readonly string[]) => /^(?:price|usd)$/.test(path.at(-1) ?? '');
  const upstream = await startFaultyUpstream(emulator.url, { isAmount });
  const baseUrl = `${upstream.url}/${party}`;
  const http = createHttpClient({
    baseUrl,
    headers: headers?.(baseUrl) ?? {},
    maxBytes: 500_000,
    timeoutMs: NO_TIMEOUT_MS,
  });
  const others = { ...asChain(chain), chainId: 99, prices: { minPoolDepthUsd: 1 } };
  const configured = asChain(chain);
  const pyth = [...(configured.prices?.pyth ?? []), { token: tokenAddress(chain, 'TOLL'), id: pythFeedId('TOLL') }];
  const withToll = { ...configured, prices: { ...configured.prices, pyth } };
  return {
    source: create({ http }),
    upstream,
    known: known.map(([symbol, usd]) => [pricedIn(chain, symbol, withToll), usd] as const),
    unknown: pricedIn(chain, 'TOLL', withToll),
    uncovered: pricedIn(chain, 'WETH', others),
    async state(wrong) {
      await post(`${emulator.url}/_control/prices`, { party, ...(wrong === undefined ? {} : CHANGES[wrong]) });
    },
    async tearDown() {
      await http.close();
      await emulator.stop();
    },
  };
}

const tokenAddress = (chain: DevnetChain, symbol: string): string => localToken(chain, symbol).address;

async function post(url: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
}

describeTokenPriceSource('defillama', () =>
  thirdParty({
    party: 'defillama',
    create: createDefiLlamaSource,
    known: [
      ['WETH', '3000.25'],
      ['USDC', '0.9998'],
      ['BRLA', '0.185185185185'],
      ['ISLE', '0.00000072'],
    ],
  }),
);

describeTokenPriceSource('coingecko', () =>
  thirdParty({
    party: 'coingecko',
    create: createCoinGeckoSource,
    headers: (baseUrl) => coinGeckoHeaders(baseUrl, 'key'),
    known: [
      ['WETH', '3000.25'],
      ['USDC', '0.9998'],
      ['ISLE', '0.00000072'],
    ],
  }),
);

describeTokenPriceSource('pyth', () =>
  thirdParty({
    party: 'pyth',
    create: createPythSource,
    headers: () => ({ authorization: 'Bearer key' }),
    known: [
      ['WETH', '3000.25'],
      ['USDC', '0.9998'],
      ['WBTC', '90000.5'],
    ],
  }),
);

describeTokenPriceSource('ptax', async () => {
  const emulator = await startPriceEmulator({ chains: [], prices: {}, brlPerUsd: 5 });
  const isAmount = (path: readonly string[]) => (path.at(-1) ?? '').startsWith('cotacao');
  const upstream = await startFaultyUpstream(emulator.url, { isAmount });
  const http = createHttpClient({ baseUrl: `${upstream.url}/ptax`, maxBytes: 500_000, timeoutMs: NO_TIMEOUT_MS });
  const fiat = KNOWN_CHAINS.find(({ chainId }) => chainId === FIAT_CHAIN_ID)!;
  const changes: Readonly<Record<WrongPrice, Record<string, unknown>>> = {
    ...CHANGES,
    zero: { factor: 1e300 },
    negative: { factor: -1 },
    implausible: { factor: 1e-30 },
    // In its form, but no time.
    'not a time': { time: '2026-13-45 99:99:99' },
  };
  return {
    source: createPtaxSource({ http }),
    upstream,
    known: [[{ chain: fiat, address: 'BRL', decimals: 2 }, '0.2']],
    uncovered: { chain: fiat, address: 'USD', decimals: 2 },
    async state(wrong) {
      await post(`${emulator.url}/_control/prices`, { party: 'ptax', ...(wrong === undefined ? {} : changes[wrong]) });
    },
    async tearDown() {
      await http.close();
      await emulator.stop();
    },
  };
});

const aggregator = parseAbi(['function setRound(int256 price, uint256 startedAt, uint256 updatedAt)']);

/** Sets a feed of a local chain. */
async function setRound(
  universe: TestUniverse,
  chain: DevnetChain,
  round: readonly [Address, ...bigint[]],
): Promise<void> {
  const [to, price = 0n, startedAt = 0n, updatedAt = 0n] = round;
  const account = privateKeyToAccount(universe.accounts[6]!.privateKey);
  const wallet = createWalletClient({ account, transport: httpTransport(chain.rpcUrl) });
  const data = encodeFunctionData({ abi: aggregator, functionName: 'setRound', args: [price, startedAt, updatedAt] });
  const hash = await wallet.sendTransaction({ to, data, chain: null });
  await rpcOf([chain]).client(chain.chainId).waitForTransactionReceipt({ hash, pollingInterval: 10 });
}

const NOW = () => BigInt(Math.floor(Date.now() / 1000));
const HONEST: readonly bigint[] = [3000n * 10n ** 8n];
const ROUNDS: Readonly<Record<WrongPrice, () => readonly bigint[]>> = {
  zero: () => [0n],
  negative: () => [-1n],
  implausible: () => [10n ** 40n],
  stale: () => [...HONEST, 1n, NOW() - 4000n],
  'from the future': () => [...HONEST, 1n, NOW() + 4000n],
  'not a time': () => [...HONEST, 1n, 2n ** 255n],
};

describeTokenPriceSource('chainlink', async () => {
  const universe = await universeOfTests();
  const chain = chainNamed(universe, 'devnet-l2');
  const upstream = await startFaultyUpstream(chain.rpcUrl);
  const rpc = rpcOf(universe.chains, { 'devnet-l2': upstream.url });
  const configured = asChain(chain);
  const chainlink = configured.prices!.chainlink!;
  const [weth] = chainlink.feeds;
  const nowhere = { ...weth!, token: localToken(chain, 'ISLE').address as Address, feed: SEQUENCER_FEED };
  const broken = { ...configured, prices: { chainlink: { ...chainlink, feeds: [...chainlink.feeds, nowhere] } } };
  return {
    source: createChainlinkSource({ rpc }),
    upstream,
    known: [[pricedIn(chain, 'WETH', broken), '3000']],
    unknown: pricedIn(chain, 'ISLE', broken),
    uncovered: pricedIn(chain, 'BRLA', broken),
    state: (wrong) => setRound(universe, chain, [weth!.feed, ...(wrong === undefined ? HONEST : ROUNDS[wrong]())]),
    tearDown: () => Promise.resolve(),
  };
});

describe('the feeds of a rollup', () => {
  it.each([
    ['is down', () => [1n, 1n]],
    ['has just started again', () => [0n, NOW() - 3500n]],
    ['reports neither state', () => [2n, 1n]],
  ])('are not used while its sequencer %s', async (_, round) => {
    const universe = await universeOfTests();
    const chain = chainNamed(universe, 'devnet-l2');
    const goBack = await snapshotOf(chain);
    const source = createChainlinkSource({ rpc: rpcOf(universe.chains) });
    const weth = pricedIn(chain, 'WETH');
    const observe = () => source.observe([weth], AbortSignal.timeout(NO_TIMEOUT_MS));
    expect((await observe()).size).toBe(1);
    await setRound(universe, chain, [SEQUENCER_FEED, ...round()]);
    expect((await observe()).size).toBe(0);
    await setRound(universe, chain, [SEQUENCER_FEED, 0n, NOW() - 3700n]);
    expect((await observe()).size).toBe(1);
    await goBack();
  });
});
