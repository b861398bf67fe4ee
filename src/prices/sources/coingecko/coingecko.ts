import { z } from 'zod';
import { addressKey } from '../../../chains/addresses';
import type { HttpClient } from '../../../http/http-client';
import { checkedObservation, priceOfNumber } from '../../checked-observation';
import type { PriceObservation, TokenPriceSource } from '../../token-price';
import { fetchFrom, parseBody } from '../price-request';

const COINGECKO = 'coingecko';
const FULL_BPS = 10_000;
const MAX_AGE_SECONDS = 900;

/** Response of `GET /simple/token_price/{platform}`. The tokens are parsed one by one: a malformed one loses only itself. */
const tokenPrices = z.record(z.string(), z.unknown());
/** `last_updated_at` in Unix seconds. */
const tokenPrice = z.object({ usd: z.number(), last_updated_at: z.number() });

/** Header of an API key: keys of the demo plan have another one, and another host. */
export const coinGeckoHeaders = (baseUrl: string, key: string): Readonly<Record<string, string>> =>
  new URL(baseUrl).hostname.startsWith('pro-api.') ? { 'x-cg-pro-api-key': key } : { 'x-cg-demo-api-key': key };

/** Market prices of CoinGecko. @see https://docs.coingecko.com/reference/simple-token-price */
export const createCoinGeckoSource = ({ http }: { readonly http: Pick<HttpClient, 'get'> }): TokenPriceSource => ({
  id: COINGECKO,
  // Demo keys allow 10,000 requests a month.
  cacheMs: 300_000,
  absentMs: 3_600_000,
  maxBatch: 50,
  covers: ({ chain }) => chain.prices?.coinGecko !== undefined,
  async observe(tokens, signal) {
    const platform = tokens[0]?.chain.prices?.coinGecko ?? '';
    const query = {
      contract_addresses: tokens.map(({ address }) => addressKey(address)).join(','),
      vs_currencies: 'usd',
      include_last_updated_at: true,
      precision: 'full',
    };
    const prices = await fetchFrom(COINGECKO, async () =>
      parseBody(tokenPrices, await http.get(`/simple/token_price/${encodeURIComponent(platform)}`, query, signal)),
    );
    const byAddress = new Map(Object.entries(prices).map(([address, value]) => [addressKey(address), value]));
    return new Map(
      tokens.flatMap(({ address }) => {
        const observation = observationOf(byAddress.get(addressKey(address)));
        return observation === undefined ? [] : [[address, observation] as const];
      }),
    );
  },
});

function observationOf(value: unknown): PriceObservation | undefined {
  const { data } = tokenPrice.safeParse(value);
  if (data === undefined) return undefined;
  return checkedObservation({
    usdE24: priceOfNumber(data.usd),
    observedAt: data.last_updated_at,
    maxAgeSeconds: MAX_AGE_SECONDS,
    source: COINGECKO,
    confidenceBps: FULL_BPS,
    kind: 'api',
  });
}
