import { z } from 'zod';
import type { HttpClient } from '../../../http/http-client';
import { checkedObservation } from '../../checked-observation';
import type { PricedToken, PriceObservation, TokenPriceSource } from '../../token-price';
import { fetchFrom, parseBody } from '../price-request';

const PYTH = 'pyth';
const FULL_BPS = 10_000n;
const PRICE_DECIMALS = 24;
/** Pyth publishes several times a second: an older price means that trading or publishing has stopped. */
const MAX_AGE_SECONDS = 120;
/** Prices with a wider confidence interval are ignored, in basis points of the price. */
const MAX_INTERVAL_BPS = 100n;
const MAX_DECIMALS = 18;

/** Response of `GET /v2/updates/price/latest`. The feeds are parsed one by one: a malformed one loses only itself. */
const latestPrices = z.object({ parsed: z.array(z.unknown()).max(500) });
const integer = z
  .string()
  .regex(/^[0-9]{1,20}$/)
  .transform(BigInt);
const feed = z.object({
  id: z.string().regex(/^[0-9a-f]{64}$/),
  /** The price is `price` · 10^`expo`, give or take `conf` · 10^`expo`. `publish_time` in Unix seconds. */
  price: z.object({
    price: integer,
    conf: integer,
    expo: z.int().min(-MAX_DECIMALS).max(0),
    publish_time: z.int(),
  }),
});

/** Prices of Pyth, from its service Hermes. @see https://docs.pyth.network/price-feeds/core/fetch-price-updates */
export const createPythSource = ({ http }: { readonly http: Pick<HttpClient, 'get'> }): TokenPriceSource => ({
  id: PYTH,
  cacheMs: 5000,
  maxBatch: 50,
  covers: (token) => feedIdOf(token) !== undefined,
  async observe(tokens, signal) {
    const ids = new Set(tokens.flatMap((token) => feedIdOf(token) ?? []));
    const list = [...ids].map((id) => `ids[]=${id}`).join('&');
    const { parsed } = await fetchFrom(PYTH, async () => {
      // Without `ignore_invalid_price_ids` one feed that was removed would lose all others.
      const path = `/v2/updates/price/latest?${list}&parsed=true&ignore_invalid_price_ids=true`;
      return parseBody(latestPrices, await http.get(path, {}, signal));
    });
    const byId = new Map(
      parsed.flatMap((value) => {
        const { data } = feed.safeParse(value);
        return data === undefined ? [] : [[data.id, data.price] as const];
      }),
    );
    return new Map(
      tokens.flatMap((token) => {
        const price = byId.get(feedIdOf(token)?.slice(2) ?? '');
        const observation = price && observationOf(price);
        return observation === undefined ? [] : [[token.address, observation] as const];
      }),
    );
  },
});

const feedIdOf = ({ chain, address }: PricedToken): string | undefined =>
  chain.prices?.pyth?.find(({ token }) => token === address)?.id;

function observationOf({
  price,
  conf,
  expo,
  publish_time,
}: z.output<typeof feed>['price']): PriceObservation | undefined {
  if (price === 0n) return undefined;
  const intervalBps = (conf * FULL_BPS + price - 1n) / price;
  if (intervalBps > MAX_INTERVAL_BPS) return undefined;
  return checkedObservation({
    usdE24: price * 10n ** BigInt(PRICE_DECIMALS + expo),
    observedAt: publish_time,
    maxAgeSeconds: MAX_AGE_SECONDS,
    source: PYTH,
    confidenceBps: Number.parseInt((FULL_BPS - intervalBps).toString(), 10),
    kind: 'oracle',
  });
}
