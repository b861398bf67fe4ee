import { type PriceEmulator, startPriceEmulator } from '../../devnet/emulators/prices/start-price-emulator';
import { type FaultyUpstream, startFaultyUpstream } from '../contract/faulty-upstream';
import { asChain, localToken, rpcOf } from '../contract/local-swaps';
import { chainNamed, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import { createChainTable } from '../../src/chains/chain-table';
import { KNOWN_CHAINS } from '../../src/chains/known-chains';
import { createHttpClient, type HttpClient } from '../../src/http/http-client';
import { formatUsdPrice } from '../../src/money/usd';
import { createPoolDirectory } from '../../src/pools/pool-directory';
import type { Token } from '../../src/tokens/token';
import { createPriceSource } from '../../src/prices/price-source';
import { createChainlinkSource } from '../../src/prices/sources/chainlink/chainlink';
import { createCoinGeckoSource } from '../../src/prices/sources/coingecko/coingecko';
import { createDefiLlamaSource } from '../../src/prices/sources/defillama/defillama';
import { createPythSource } from '../../src/prices/sources/pyth/pyth';
import { createPtaxSource } from '../../src/prices/sources/ptax/ptax';
import { createTokenPriceReader } from '../../src/prices/token-price-reader';
import type { PriceResult, TokenPriceReader } from '../../src/prices/token-price';

const PRICES = { WETH: 3000, USDC: 1, USDT: 1, DAI: 1, WBTC: 90_000, BRLA: 0.1852 };
const DAY = 86_400;
/** The results do not depend on how fast the machine is. */
const WAIT_MS = 60_000;

let universe: TestUniverse;
let chain: ReturnType<typeof chainNamed>;
let node: FaultyUpstream;
let emulator: PriceEmulator;
let clients: readonly HttpClient[];
beforeAll(async () => {
  universe = await universeOfTests();
  chain = chainNamed(universe, 'devnet');
  node = await startFaultyUpstream(chain.rpcUrl);
  emulator = await startPriceEmulator({ chains: universe.chains, prices: PRICES, brlPerUsd: 5.4 });
  const headers = { 'x-cg-demo-api-key': 'key', authorization: 'Bearer key' };
  clients = (['defillama', 'coingecko', 'ptax', 'pyth'] as const).map((party) =>
    createHttpClient({ baseUrl: emulator.urls[party], headers }),
  );
});
afterEach(async () => {
  for (const party of ['defillama', 'coingecko', 'ptax', 'pyth']) await state({ party });
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await emulator.stop();
  node.close();
});

async function state(changes: Readonly<Record<string, unknown>>): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await fetch(`${emulator.url}/_control/prices`, { method: 'POST', headers, body: JSON.stringify(changes) });
}

interface Parties {
  readonly chainlink?: boolean;
  readonly market?: boolean;
  readonly pyth?: boolean;
}

const fiat = KNOWN_CHAINS.filter(({ kind }) => kind === 'fiat');

/** A reader without cached prices. */
function newReader({ chainlink = true, market = true, pyth = false }: Parties = {}): TokenPriceReader {
  const rpc = rpcOf(universe.chains, { devnet: node.url });
  const [llama, gecko, ptax, hermes] = clients as readonly [HttpClient, HttpClient, HttpClient, HttpClient];
  return createTokenPriceReader({
    rpc,
    waitMs: WAIT_MS,
    pools: createPoolDirectory({ rpc }),
    chains: createChainTable([...universe.chains.map(asChain), ...fiat]),
    log: { warn: () => undefined },
    sources: [
      ...(chainlink ? [createChainlinkSource({ rpc })] : []),
      ...(market ? [createDefiLlamaSource({ http: llama }), createCoinGeckoSource({ http: gecko })] : []),
      ...(pyth ? [createPythSource({ http: hermes })] : []),
      createPtaxSource({ http: ptax }),
    ],
  });
}

const priceIn = ({ price }: PriceResult): string | undefined => price && formatUsdPrice(price.usdE24);
/** In US dollars; a double is precise enough for comparisons. */
const dollarsIn = (result: PriceResult): number => Number.parseFloat(priceIn(result) ?? 'NaN');
const read = async (reader: TokenPriceReader, ...symbols: readonly string[]): Promise<readonly PriceResult[]> =>
  reader.read(symbols.map((symbol) => localToken(chain, symbol)));
const BRL: Token = { chainId: 0, address: 'BRL', symbol: 'BRL', name: 'BRL', decimals: 2, logoURI: undefined };

describe('combined prices', () => {
  it('of pools, feeds and market sites confirm each other', async () => {
    const [weth, eth, usdc, brla] = await read(newReader(), 'WETH', 'ETH', 'USDC', 'BRLA');
    for (const result of [weth!, eth!, usdc!, brla!])
      expect(result.price).toMatchObject({ flags: [], isConfirmed: true });
    expect(Math.abs(dollarsIn(weth!) - 3000)).toBeLessThan(5);
    expect(eth).toEqual(weth);
    expect(priceIn(usdc!)).toBe('1');
    expect(Math.abs(dollarsIn(brla!) - 0.1852)).toBeLessThan(0.001);
  });

  it('in pools alone are present prices, flagged, with the time of their block', async () => {
    const reader = newReader({ chainlink: false, market: false });
    const [weth, isle] = await read(reader, 'WETH', 'ISLE');
    expect(weth?.price).toMatchObject({
      kind: 'spot',
      flags: ['ANCHOR_UNCONFIRMED', 'SINGLE_SOURCE'],
      isConfirmed: false,
    });
    expect(weth?.price?.source).toMatch(/^uniswap-v\d:0x/);
    const block = await rpcOf(universe.chains).client(chain.chainId).getBlock();
    expect(weth!.price!.asOf.getTime() / 1000).toBeGreaterThan(Number.parseInt(block.timestamp.toString(), 10) - 60);
    expect(weth!.price!.asOf.getTime()).toBeLessThanOrEqual(Date.now());
    expect(isle).toEqual({ missing: 'NO_SOURCE' });
  });

  it('of other tokens do not move when one source states a wrong price of a dollar token', async () => {
    const parties = { chainlink: true, market: true };
    const symbols = ['TOLL', 'BRZ', 'RUSD'];
    const before = (await read(newReader(parties), ...symbols)).map(priceIn);
    expect(before).not.toContain(undefined);
    for (const wrong of [0.5, 0.97, 2, 1000]) {
      await state({ party: 'defillama', prices: { USDC: wrong, USDT: wrong, DAI: wrong } });
      expect((await read(newReader(parties), ...symbols)).map(priceIn)).toEqual(before);
    }
  });

  it('in pools do not follow two aggregators of markets, since one repeats the mistake of the other', async () => {
    const parties = { chainlink: true, market: true };
    const [before] = await read(newReader(parties), 'TOLL');
    for (const party of ['defillama', 'coingecko']) await state({ party, prices: { USDC: 0.5, USDT: 0.5, DAI: 0.5 } });
    const [toll] = await read(newReader(parties), 'TOLL');
    expect(priceIn(toll!)).toBe(priceIn(before!));
    expect(toll?.price?.flags).toContain('ANCHOR_UNCONFIRMED');
  });

  it('in pools follow two independent sources that agree that a dollar token has lost its peg', async () => {
    const parties = { chainlink: false, market: true, pyth: true };
    const [before] = await read(newReader(parties), 'BRZ');
    await state({ party: 'defillama', prices: { USDC: 0.9 } });
    await state({ party: 'coingecko', prices: { USDC: 0.9 } });
    await state({ party: 'pyth', prices: { USDC: 0.9 } });
    const [brz, usdc] = await read(newReader(parties), 'BRZ', 'USDC');
    expect(dollarsIn(brz!) / dollarsIn(before!)).toBeCloseTo(0.9, 6);
    expect(brz?.price?.flags).toContain('OFF_PEG');
    expect(usdc?.price).toMatchObject({ flags: ['OFF_PEG'], isConfirmed: true });
  });

  it('are missing, with the reason, when a source differs by more than 10 %; those of other tokens are not', async () => {
    await state({ party: 'defillama', prices: { WBTC: 60_000 } });
    const [wbtc, weth] = await read(newReader(), 'WBTC', 'WETH');
    expect(wbtc).toEqual({ missing: 'SOURCES_DISAGREE' });
    expect(weth?.price?.isConfirmed).toBe(true);
  });

  it('never change the prices of quotes, whatever third parties state', async () => {
    const rpc = rpcOf(universe.chains, { devnet: node.url });
    const chains = createChainTable(universe.chains.map(asChain));
    const weth = localToken(chain, 'WETH');
    const quoted = async () =>
      (await createPriceSource({ rpc, chains, pools: createPoolDirectory({ rpc }) }).priceUsd(weth))?.usd;
    const before = await quoted();
    await state({ party: 'defillama', factor: 100 });
    await state({ party: 'coingecko', factor: 0.01 });
    expect(await read(newReader(), 'WETH')).toEqual([{ missing: 'SOURCES_DISAGREE' }]);
    expect(await quoted()).toBe(before);
  });

  const countRequests = async (): Promise<number> => {
    const reader = newReader();
    await reader.read([localToken(chain, 'WETH')]); // finds the addresses of the pools of anchors, and checks the node
    const symbols = ['WBTC', 'BRLA', 'BRZ', 'TOLL', 'RUSD', 'ISLE'];
    await new Promise((resolve) => setTimeout(resolve, 100));
    const before = node.requests();
    const results = await read(reader, ...symbols);
    expect(results.filter(({ price }) => price !== undefined)).toHaveLength(5);
    return node.requests() - before;
  };

  it('of many tokens of a chain take one call for its pools and one for its feeds', async () => {
    // A slow machine may read the anchors again meanwhile: one of several attempts has no further call.
    const counts = [await countRequests(), await countRequests(), await countRequests()];
    // The addresses of the new pools, the pools, and the feeds.
    expect(Math.min(...counts)).toBeLessThanOrEqual(3);
  });

  it('are those of the other sources while the node fails', async () => {
    const reader = newReader();
    node.injectFault('responds with 500');
    const [weth, toll] = await read(reader, 'WETH', 'TOLL');
    node.injectFault(undefined);
    expect(weth?.price).toMatchObject({ kind: 'api', flags: ['SINGLE_SOURCE'], isConfirmed: false });
    expect(toll).toEqual({ missing: 'NO_SOURCE' });
  });
});

describe('the price of bank reais', () => {
  it('is that of a BRL token in pools, checked against the official rate', async () => {
    const [real] = await newReader().read([BRL]);
    expect(real?.price).toMatchObject({ kind: 'spot', flags: [], isConfirmed: true });
    expect(Math.abs(dollarsIn(real!) - 1 / 5.4)).toBeLessThan(0.002);
    await state({ party: 'ptax', factor: 1.5 });
    expect(await newReader().read([BRL])).toEqual([{ missing: 'SOURCES_DISAGREE' }]);
  });

  it('is the last official rate, with its age, when pools have none', async () => {
    await state({ party: 'ptax', ageSeconds: 3 * DAY });
    node.injectFault('responds with 500');
    const rpc = rpcOf([chain], { devnet: node.url });
    const [real] = await createTokenPriceReader({
      rpc,
      waitMs: WAIT_MS,
      pools: createPoolDirectory({ rpc }),
      chains: createChainTable([asChain(chain), ...fiat]),
      log: { warn: () => undefined },
      sources: [createPtaxSource({ http: clients[2]! })],
    }).read([BRL]);
    node.injectFault(undefined);
    expect(real?.price).toMatchObject({ source: 'ptax', kind: 'oracle', flags: ['SINGLE_SOURCE', 'LAST_CLOSE'] });
    expect(dollarsIn(real!)).toBeCloseTo(1 / 5.4, 6);
    expect(Math.round((Date.now() - real!.price!.asOf.getTime()) / 1000 / DAY)).toBe(3);
  });
});
