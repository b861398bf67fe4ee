import { setTimeout as wait } from 'node:timers/promises';
import { toBaseUnits } from '../../src/money/base-units';
import { subtractShare } from '../../src/money/slippage';
import type { ProviderQuote, QuoteProvider, QuoteRequest } from '../../src/venues/quote-provider';

/** Milliseconds that each stub takes. The slowest one determines the time of a quote. */
const DELAYS_MS = { near: 15, middle: 40, far: 80 } as const;

/** Maximum time that a provider itself took, in milliseconds, by the requested amount. */
export type OwnTimes = Map<string, number>;

/** Creates providers that respond after fixed times, and records how long each request really took them. */
export const createStubProviders = (ownTimes: OwnTimes): readonly QuoteProvider[] =>
  Object.entries(DELAYS_MS).map(([id, delayMs]) => stubProvider({ id, delayMs }, ownTimes));

function stubProvider(
  { id, delayMs }: { readonly id: string; readonly delayMs: number },
  ownTimes: OwnTimes,
): QuoteProvider {
  return {
    id,
    capabilities: { supports: ({ origin, destination, side }) => origin === destination && side === 'in' },
    async quote(request) {
      const startedAt = performance.now();
      await wait(delayMs);
      const offer = offerFor(id, request);
      const key = request.amount.toString();
      ownTimes.set(key, Math.max(ownTimes.get(key) ?? 0, performance.now() - startedAt));
      return offer;
    },
    build: ({ request, sender }) =>
      Promise.resolve({
        kind: 'call',
        chainId: request.origin.chainId,
        from: sender,
        to: request.tokenOut.address,
        data: '0x',
        value: 0n,
        spender: undefined,
      }),
  };
}

/** An offer as large as a real one: three pools on the route. */
function offerFor(id: string, { origin, tokenIn, tokenOut, amount, slippage }: QuoteRequest): ProviderQuote {
  const expected = toBaseUnits(amount * 400_000_000n);
  const leg = {
    protocol: id,
    chainId: origin.chainId,
    shareBps: 10_000,
    pool: tokenOut.address,
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
  };
  return {
    provider: id,
    amountIn: amount,
    maxAmountIn: amount,
    expectedAmountOut: expected,
    minAmountOut: subtractShare(expected, slippage),
    route: [leg, leg, leg],
    priceImpactBps: 3,
    gasLimit: 180_000n,
    estimatedDurationSeconds: 12,
    execution: { path: [tokenIn.address, tokenOut.address], fees: [500, 3000] },
  };
}
