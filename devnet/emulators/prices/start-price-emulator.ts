import { z } from 'zod';
import { pythFeedId } from '../../prices/price-feeds';
import type { DevnetChain } from '../../universe';
import { type EmulatorRequest, type EmulatorResponse, type HttpEmulator, startHttpEmulator } from '../http-emulator';

export interface PriceEmulatorOptions {
  readonly chains: readonly Pick<DevnetChain, 'slug' | 'tokens'>[];
  /** Dollars for one whole token, by symbol. */
  readonly prices: Readonly<Record<string, number>>;
  /** Reais for one dollar. */
  readonly brlPerUsd: number;
}

/** Third parties that state prices: each has an interface of its own below its name. */
const PRICE_PARTIES = ['defillama', 'coingecko', 'pyth', 'ptax'] as const;
type Party = (typeof PRICE_PARTIES)[number];

export interface PriceEmulator extends HttpEmulator {
  /** Base URLs by party. */
  readonly urls: Readonly<Record<Party, string>>;
}

const controlSchema = z.strictObject({
  party: z.enum(PRICE_PARTIES),
  /** Factor for each price of the party. */
  factor: z.number().optional(),
  /** Prices by symbol that replace those of the party. */
  prices: z.record(z.string(), z.number()).optional(),
  /** Age of its prices; negative for the future. */
  ageSeconds: z.number().optional(),
  /** Text in the place of their time. */
  time: z.string().optional(),
  /** Confidence at DefiLlama, from 0 to 1. */
  confidence: z.number().optional(),
  /** Width of the confidence interval at Pyth, as a share of the price. */
  interval: z.number().optional(),
});

interface Quoting {
  factor: number;
  prices: Readonly<Record<string, number>>;
  ageSeconds: number;
  time: string | undefined;
  confidence: number;
  interval: number;
}

const HONEST: Quoting = {
  factor: 1,
  prices: {},
  ageSeconds: 5,
  time: undefined,
  confidence: 0.99,
  interval: 0.0005,
};

interface Market extends PriceEmulatorOptions {
  readonly quoting: Record<Party, Quoting>;
}

/**
 * DefiLlama, CoinGecko, Pyth's Hermes and PTAX of Brazil's central bank, with fixed prices for the tokens of the local chains.
 *
 * `POST /_control/prices {party, …}` changes what a party states; without further fields it is honest again.
 */
export async function startPriceEmulator(options: PriceEmulatorOptions): Promise<PriceEmulator> {
  const honest = () => ({ ...HONEST });
  const quoting = { defillama: honest(), coingecko: honest(), pyth: honest(), ptax: honest() };
  const market: Market = { ...options, quoting };
  const emulator = await startHttpEmulator({
    routes: {
      'GET /defillama/prices/current/:coins': (request) => currentPrices(market, request),
      'GET /coingecko/simple/token_price/:platform': (request) => tokenPrices(market, request),
      'GET /pyth/v2/updates/price/latest': (request) => latestUpdates(market, request),
      'GET /ptax/olinda/servico/PTAX/versao/v1/odata/:resource': () => dollarRate(market),
      'POST /_control/prices': ({ body }) => {
        const { party, ...changes } = controlSchema.parse(body);
        Object.assign(quoting[party], HONEST, changes);
        return { status: 204 };
      },
    },
  });
  const urls = Object.fromEntries(PRICE_PARTIES.map((party) => [party, `${emulator.url}/${party}`]));
  return { ...emulator, urls: urls as PriceEmulator['urls'] };
}

/** A price as a party states it; `undefined` for a token that it does not know. */
function statedPrice({ quoting, prices }: Market, party: Party, symbol: string): number | undefined {
  const { factor, prices: replaced } = quoting[party];
  const price = replaced[symbol] ?? prices[symbol];
  return price === undefined ? undefined : price * factor;
}

const statedAt = ({ quoting }: Market, party: Party): number =>
  Math.floor(Date.now() / 1000) - quoting[party].ageSeconds;

/** As the party writes it: Unix seconds, unless it states no time at all. */
const statedTime = (market: Market, party: Party): number | string =>
  market.quoting[party].time ?? statedAt(market, party);

function findToken({ chains }: Market, slug: string, address: string) {
  const chain = chains.find((candidate) => candidate.slug === slug);
  return chain?.tokens.find((token) => token.address.toLowerCase() === address.toLowerCase());
}

/** DefiLlama repeats the coins as they were requested. */
function currentPrices(market: Market, { parameters }: EmulatorRequest): EmulatorResponse {
  const coins: Record<string, unknown> = {};
  for (const coin of (parameters['coins'] ?? '').split(',')) {
    const [chain = '', address = ''] = coin.split(':');
    const token = findToken(market, chain, address);
    const price = token && statedPrice(market, 'defillama', token.symbol);
    if (token === undefined || price === undefined) continue;
    const { decimals, symbol } = token;
    const { confidence } = market.quoting.defillama;
    coins[coin] = { decimals, symbol, price, timestamp: statedTime(market, 'defillama'), confidence };
  }
  return { body: { coins } };
}

/** CoinGecko writes addresses in lower case. */
function tokenPrices(market: Market, { parameters, query, headers }: EmulatorRequest): EmulatorResponse {
  if (headers['x-cg-demo-api-key'] === undefined && headers['x-cg-pro-api-key'] === undefined) {
    return { status: 401, body: { status: { error_code: 10_002, error_message: 'API Key Missing' } } };
  }
  const found: Record<string, unknown> = {};
  for (const address of (query.get('contract_addresses') ?? '').split(',')) {
    const token = findToken(market, parameters['platform'] ?? '', address);
    const usd = token && statedPrice(market, 'coingecko', token.symbol);
    if (usd === undefined) continue;
    found[address.toLowerCase()] = { usd, last_updated_at: statedTime(market, 'coingecko') };
  }
  return { body: found };
}

const PYTH_EXPONENT = -8;

/** Hermes reports the proof of the update besides its parsed content. */
function latestUpdates(market: Market, { query, headers }: EmulatorRequest): EmulatorResponse {
  if (headers.authorization === undefined) return { status: 401, body: { error: 'Unauthorized' } };
  const symbols = Object.keys(market.prices);
  const parsed = query.getAll('ids[]').flatMap((id) => {
    const symbol = symbols.find((name) => pythFeedId(name) === id);
    const stated = symbol === undefined ? undefined : statedPrice(market, 'pyth', symbol);
    if (stated === undefined) return [];
    const units = Math.round(stated * 10 ** -PYTH_EXPONENT);
    const price = {
      price: String(units),
      conf: String(Math.round(units * market.quoting.pyth.interval)),
      expo: PYTH_EXPONENT,
      publish_time: statedTime(market, 'pyth'),
    };
    const publishedAt = statedAt(market, 'pyth');
    const metadata = { slot: 1, proof_available_time: publishedAt, prev_publish_time: publishedAt - 1 };
    return [{ id: id.slice(2), price, ema_price: price, metadata }];
  });
  return { body: { binary: { encoding: 'hex', data: ['504e4155'] }, parsed } };
}

/** The rate is fixed at 13:00 in Brasília. */
function dollarRate(market: Market): EmulatorResponse {
  const rate = market.brlPerUsd / market.quoting.ptax.factor;
  const inBrasilia = new Date(statedAt(market, 'ptax') * 1000 - 3 * 3_600_000).toISOString();
  const dataHoraCotacao = market.quoting.ptax.time ?? inBrasilia.replace('T', ' ').replace('Z', '');
  return {
    body: {
      '@odata.context':
        'https://was-p.bcnet.bcb.gov.br/olinda/servico/PTAX/versao/v1/odata$metadata#_CotacaoDolarPeriodo',
      value: [{ cotacaoCompra: rate * 0.9999, cotacaoVenda: rate * 1.0001, dataHoraCotacao }],
    },
  };
}
