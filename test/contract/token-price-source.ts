import { isServiceError } from '../../src/errors/service-error';
import { formatUsdPrice } from '../../src/money/usd';
import type { PricedToken, PriceObservation, TokenPriceSource } from '../../src/prices/token-price';
import { until } from '../resilience/until';
import { FAULTS, type FaultyUpstream, HANGING_FAULTS } from './faulty-upstream';
import { NO_TIMEOUT_MS } from './local-swaps';

/** Wrong prices that a source may state. */
export const WRONG_PRICES = ['zero', 'negative', 'implausible', 'stale', 'from the future', 'not a time'] as const;
export type WrongPrice = (typeof WRONG_PRICES)[number];

export interface SourceUnderTest {
  readonly source: TokenPriceSource;
  /** Stands between the source and its third party. */
  readonly upstream: FaultyUpstream;
  /** Tokens of one chain with their prices in dollars. */
  readonly known: readonly (readonly [token: PricedToken, usd: string])[];
  /** A token of the same chain that the source is configured for, but has no price of. Absent when there is one token. */
  readonly unknown?: PricedToken;
  /** A token that the source is not configured for. */
  readonly uncovered: PricedToken;
  /** Makes the third party state a wrong price of all tokens; `undefined` makes it honest again. */
  readonly state: (wrong: WrongPrice | undefined) => Promise<void>;
  readonly tearDown: () => Promise<void>;
}

/** What every source of token prices promises. */
export function describeTokenPriceSource(name: string, setUp: () => Promise<SourceUnderTest>): void {
  describe(`the price source ${name}`, () => {
    let tested: SourceUnderTest;
    beforeAll(async () => {
      tested = await setUp();
    });
    afterEach(async () => {
      tested.upstream.injectFault(undefined);
      await tested.state(undefined);
    });
    afterAll(async () => {
      tested.upstream.close();
      await tested.tearDown();
    });
    const tokens = () => tested.known.map(([token]) => token);
    const observe = (requested: readonly PricedToken[] = tokens()) =>
      tested.source.observe(requested, AbortSignal.timeout(NO_TIMEOUT_MS));
    const pricesIn = (observed: ReadonlyMap<string, PriceObservation>) =>
      tokens().map(({ address }) => {
        const price = observed.get(address)?.usdE24;
        return price && formatUsdPrice(price);
      });
    const expected = () => tested.known.map(([, usd]) => usd);

    it('states exact prices with their source, kind, certainty and time', async () => {
      const observed = await observe();
      expect(pricesIn(observed)).toEqual(expected());
      for (const { asOf, confidenceBps, source } of observed.values()) {
        expect(source).toBe(tested.source.id);
        expect(confidenceBps).toBeGreaterThan(9000);
        expect(confidenceBps).toBeLessThanOrEqual(10_000);
        expect(asOf.getTime()).toBeLessThanOrEqual(Date.now());
        expect(Date.now() - asOf.getTime()).toBeLessThan(60_000);
      }
    });

    it('decides without a request which tokens it covers', () => {
      const before = tested.upstream.requests();
      for (const token of tokens()) expect(tested.source.covers(token)).toBe(true);
      expect(tested.source.covers(tested.uncovered)).toBe(false);
      expect(tested.upstream.requests()).toBe(before);
    });

    it('loses no other token of a batch because of one that it does not know', async () => {
      if (tested.unknown === undefined) {
        expect(tested.known).toHaveLength(1);
        return;
      }
      expect(tested.source.covers(tested.unknown)).toBe(true);
      const observed = await observe([tested.unknown, ...tokens()]);
      expect(observed.get(tested.unknown.address)).toBeUndefined();
      expect(pricesIn(observed)).toEqual(expected());
    });

    it.each(WRONG_PRICES)('has no price that is %s', async (wrong) => {
      await tested.state(wrong);
      expect(pricesIn(await observe())).toEqual(expected().map(() => undefined));
    });

    it.each(FAULTS)('states no wrong price when the third party %s', async (fault) => {
      const { upstream, source } = tested;
      upstream.injectFault(fault);
      const caller = new AbortController();
      const observing = source.observe(tokens(), caller.signal).catch((error: unknown) => error);
      await until('the fault has affected a response', () => upstream.faultyResponses() > 0);
      // No other limit ends a request that hangs before the test has failed.
      if (HANGING_FAULTS.has(fault)) caller.abort(new DOMException('the time is over', 'TimeoutError'));
      const result = await observing;
      if (result instanceof Map) {
        const honest = expected();
        for (const [index, price] of pricesIn(result as ReadonlyMap<string, PriceObservation>).entries()) {
          expect([undefined, honest[index]]).toContain(price);
        }
      } else {
        expect(isServiceError(result) && result.code).toBe('PROVIDER_UNAVAILABLE');
      }
      // A node is requested again with fewer calls, because a contract may be at fault.
      expect(tested.upstream.bytesTaken() / tested.upstream.faultyResponses()).toBeLessThan(20_000_000);
      tested.upstream.injectFault(undefined);
      expect(pricesIn(await observe())).toEqual(expected());
    });
  });
}
