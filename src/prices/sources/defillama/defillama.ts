import { z } from 'zod';
import { addressKey } from '../../../chains/addresses';
import type { HttpClient } from '../../../http/http-client';
import { checkedObservation, priceOfNumber } from '../../checked-observation';
import type { PricedToken, PriceObservation, TokenPriceSource } from '../../token-price';
import { fetchFrom, parseBody } from '../price-request';

const DEFILLAMA = 'defillama';
const FULL_BPS = 10_000;
/** Prices that DefiLlama trusts less are ignored. */
const MIN_CONFIDENCE = 0.9;
const MAX_AGE_SECONDS = 900;

/** Response of `GET /prices/current/{coins}`. The coins are parsed one by one: a malformed one loses only itself. */
const currentPrices = z.object({ coins: z.record(z.string(), z.unknown()) });
const coin = z.object({
  price: z.number(),
  /** Unix seconds. */
  timestamp: z.number(),
  decimals: z.number().nullish(),
  confidence: z.number().min(0).max(1),
});

/** Market prices of DefiLlama. @see https://defillama.com/docs/api */
export const createDefiLlamaSource = ({ http }: { readonly http: Pick<HttpClient, 'get'> }): TokenPriceSource => ({
  id: DEFILLAMA,
  cacheMs: 30_000,
  absentMs: 3_600_000,
  maxBatch: 50,
  covers: ({ chain }) => chain.prices?.defiLlama !== undefined,
  async observe(tokens, signal) {
    const keys = tokens.map(coinKey);
    const { coins } = await fetchFrom(DEFILLAMA, async () =>
      parseBody(currentPrices, await http.get(`/prices/current/${keys.map(encodeURIComponent).join(',')}`, {}, signal)),
    );
    const byKey = new Map(Object.entries(coins).map(([key, value]) => [key.toLowerCase(), value]));
    return new Map(
      tokens.flatMap((token) => {
        const observation = observationOf(token, byKey.get(coinKey(token).toLowerCase()));
        return observation === undefined ? [] : [[token.address, observation] as const];
      }),
    );
  },
});

/** `ethereum:0xc02a…`. */
const coinKey = ({ chain, address }: PricedToken): string => `${chain.prices?.defiLlama ?? ''}:${addressKey(address)}`;

function observationOf({ decimals }: PricedToken, value: unknown): PriceObservation | undefined {
  const { data } = coin.safeParse(value);
  if (data === undefined || data.confidence < MIN_CONFIDENCE) return undefined;
  // Other decimals mean another token.
  if (typeof data.decimals === 'number' && data.decimals !== decimals) return undefined;
  return checkedObservation({
    usdE24: priceOfNumber(data.price),
    observedAt: data.timestamp,
    maxAgeSeconds: MAX_AGE_SECONDS,
    source: DEFILLAMA,
    confidenceBps: Math.round(data.confidence * FULL_BPS),
    kind: 'api',
  });
}
