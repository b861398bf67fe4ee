import fc from 'fast-check';
import { serviceError } from '../../../src/errors/service-error';
import { toUsdPrice, type UsdPrice } from '../../../src/money/usd';
import type { ChainBalances, TokenBalance } from '../../../src/portfolio/balances/read-balances';
import { CLEAN } from '../../../src/portfolio/balances/spam-score';
import { keepUnavailableChains } from '../../../src/portfolio/overview/keep-unavailable-chains';
import { walletTokensWorth } from '../../../src/portfolio/overview/read-wallet-tokens';
import { tokensToPrice } from '../../../src/portfolio/overview/tokens-to-price';
import { positionId, valueTokens } from '../../../src/portfolio/overview/value-tokens';
import type { WalletTokens } from '../../../src/portfolio/overview/wallet-tokens';
import { combineObservations } from '../../../src/prices/combine-observations';
import type { PriceObservation, PriceResult } from '../../../src/prices/token-price';
import { decodeSnapshot, encodeSnapshot } from '../../../src/snapshots/snapshot-text';
import { walletTokensView } from './view';

const TOKENS = 500;
/** Each run has 500 tokens. Searching for a smaller example would take too long. */
const RUNS = { numRuns: 8, endOnFailure: true };
const [NOW, AN_HOUR_AGO] = [new Date('2026-03-01T12:00:00.000Z'), new Date('2026-03-01T11:00:00.000Z')];
const SPAM = { score: 60, isSpam: true, reasons: ['URL'] } as const;

/** A token of a wallet, and the prices of it that sources observe. */
interface DrawnToken {
  readonly amount: bigint;
  readonly decimals: number | undefined;
  readonly isSpam: boolean;
  readonly isPinned: boolean;
  readonly isListed: boolean;
  /** In 10^-24 dollars: none, one (unconfirmed), two that agree (confirmed) or two that do not (missing). */
  readonly observed: readonly bigint[];
}

const observedPrice = fc.oneof(
  fc.bigInt({ min: 1n, max: 10n ** 36n }),
  fc.bigInt({ min: 1n, max: 10n ** 24n }),
  fc.constant(10n ** 24n),
);
const drawnToken: fc.Arbitrary<DrawnToken> = fc.record({
  amount: fc.oneof(
    { weight: 4, arbitrary: fc.bigInt({ min: 0n, max: 10n ** 24n }) },
    { weight: 2, arbitrary: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }) },
    { weight: 1, arbitrary: fc.constantFrom(0n, 1n, 2n ** 256n - 1n) },
  ),
  decimals: fc.option(fc.integer({ min: 0, max: 36 }), { freq: 20, nil: undefined }),
  isSpam: fc.boolean(),
  isPinned: fc.boolean(),
  isListed: fc.boolean(),
  observed: fc.oneof(
    fc.constant([]),
    observedPrice.map((price) => [price]),
    observedPrice.map((price) => [price, price]),
    observedPrice.map((price) => [price, 2n * price]),
  ),
});

/** How a chain was read: now, as the last known balances, or not at all. */
const chainState = fc.constantFrom('read', 'lastKnown', 'down');
type ChainState = 'read' | 'lastKnown' | 'down';

interface DrawnPortfolio {
  readonly tokens: readonly DrawnToken[];
  readonly states: readonly [ChainState, ChainState];
  readonly real: bigint | undefined;
  readonly realBefore: bigint | undefined;
}
const realPrice = fc.option(fc.bigInt({ min: 10n ** 20n, max: 10n ** 25n }), { nil: undefined });
const portfolio: fc.Arbitrary<DrawnPortfolio> = fc.record({
  tokens: fc.array(drawnToken, { minLength: TOKENS, maxLength: TOKENS }),
  states: fc.tuple(chainState, chainState),
  real: realPrice,
  realBefore: realPrice,
});

const chainOf = (index: number): number => 1 + (index % 2);
const balanceOf = ({ observed, isSpam, ...token }: DrawnToken, index: number): TokenBalance => ({
  ...token,
  chainId: chainOf(index),
  address: String(index),
  isNative: index < 2,
  symbol: 'T',
  name: `Token with ${String(observed.length)} prices`,
  logoURI: undefined,
  humanized: undefined,
  problem: undefined,
  spam: isSpam ? SPAM : CLEAN,
});

function sectionOf(balances: readonly TokenBalance[], chainId: number, state: ChainState): ChainBalances {
  const error = serviceError('PROVIDER_UNAVAILABLE', { provider: 'node', reason: 'down' });
  const own = balances.filter((balance) => balance.chainId === chainId);
  return {
    chainId,
    chain: String(chainId),
    asOf: state === 'down' ? undefined : { blockNumber: 7n, time: state === 'read' ? NOW : AN_HOUR_AGO },
    isStale: state === 'lastKnown',
    ageSeconds: 0,
    error: state === 'read' ? undefined : error,
    isTruncated: false,
    tokens: state === 'down' ? [] : own,
  };
}

const observation = (usdE24: UsdPrice, index: number): PriceObservation => ({
  usdE24,
  source: `source ${String(index)}`,
  asOf: NOW,
  confidenceBps: 9000,
  kind: 'oracle',
});

/** Prices as the service reads them: of the tokens that are priced, each combined from its observations. */
function pricesOf(tokens: readonly DrawnToken[], sections: readonly ChainBalances[]): ReadonlyMap<string, PriceResult> {
  return new Map(
    [...tokensToPrice([sections])].map(([id, { address }]) => {
      const { observed = [] } = tokens[Number.parseInt(address, 10)] ?? {};
      const observations = observed.map((price, index) => observation(toUsdPrice(price)!, index));
      return [id, combineObservations(observations, { isDollarToken: false, now: NOW.getTime() })];
    }),
  );
}

function readingOf({ tokens, states, real }: Omit<DrawnPortfolio, 'realBefore'>): WalletTokens {
  const balances = tokens.map(balanceOf);
  const sections = [sectionOf(balances, 1, states[0]), sectionOf(balances, 2, states[1])];
  const byId = pricesOf(tokens, sections);
  return valueTokens(sections, { byId, real: real === undefined ? undefined : toUsdPrice(real) });
}

/** No position counts with more than 10^18 dollars. */
const MAX_MICROS = 10n ** 24n;

/** The worth of a token in millionths of a dollar: the digits of amount times price, without those behind the sixth decimal. */
function expectedValue({ amount, decimals, observed, isSpam, isPinned }: DrawnToken): bigint | undefined {
  const [price] = observed;
  if (price === undefined || decimals === undefined || (isSpam && !isPinned)) return undefined;
  if (observed.some((other) => other !== price)) return undefined;
  const digits = (amount * price).toString();
  const value = BigInt(digits.slice(0, Math.max(0, digits.length - decimals - 18)) || '0');
  return value > MAX_MICROS ? undefined : value;
}

/** Millionths of a decimal text, as a client adds them up. */
function microsOf(text: string): bigint {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  return BigInt(whole + fraction.padEnd(6, '0'));
}
const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);

describe('a wallet with 500 tokens on two chains', () => {
  it('shows a total that is the sum of its positions to the millionth, whatever chains and prices are missing', () => {
    fc.assert(
      fc.property(portfolio, ({ realBefore, ...drawn }) => {
        const before = readingOf({ ...drawn, states: ['read', 'read'], real: realBefore });
        const kept = keepUnavailableChains(readingOf(drawn), before, NOW);
        const stored = decodeSnapshot(encodeSnapshot(kept)) as WalletTokens;
        expect(stored.totalUsd).toBe(kept.totalUsd);

        const { positions, summary } = walletTokensView(
          { value: stored, computedAt: NOW, isStale: false },
          { includeSpam: false },
        );
        const values = positions.map(({ amountInUSD }) =>
          amountInUSD === undefined ? undefined : microsOf(amountInUSD),
        );
        const expected = positions.map(({ address }) => expectedValue(drawn.tokens[Number.parseInt(address, 10)]!));
        expect(values).toEqual(expected);
        expect(microsOf(summary.totalAmountInUSD)).toBe(sum(expected.map((value) => value ?? 0n)));
        if (summary.totalAmountInBRL !== undefined) {
          const reals = positions.map(({ amountInBRL }) => (amountInBRL === undefined ? 0n : microsOf(amountInBRL)));
          expect(microsOf(summary.totalAmountInBRL)).toBe(sum(reals));
        }
        const worth = walletTokensWorth(stored, new Set());
        expect([worth?.usd ?? stored.totalUsd, worth?.brl]).toEqual([stored.totalUsd, worth && stored.totalBrl]);
      }),
      RUNS,
    );
  });

  it('shows each token once, also those of a chain that is down, and the real value of each rounded down', () => {
    fc.assert(
      fc.property(portfolio, ({ realBefore, ...drawn }) => {
        const before = readingOf({ ...drawn, states: ['read', 'read'], real: realBefore });
        const { positions } = keepUnavailableChains(readingOf(drawn), before, NOW);
        const held = drawn.tokens.map(balanceOf).filter(({ amount }) => amount !== 0n);
        const ids = positions.map(({ id }) => id);
        expect(new Set(ids)).toEqual(new Set(held.map(positionId)));
        expect(ids).toHaveLength(held.length);
        const wrong = positions.filter(({ chainId, valueUsd, valueBrl }) => {
          const real = drawn.states[chainId - 1] === 'down' ? realBefore : drawn.real;
          if (valueUsd === undefined || real === undefined) return valueBrl !== undefined;
          const micros = valueUsd * 10n ** 24n;
          return valueBrl === undefined || valueBrl * real > micros || micros >= (valueBrl + 1n) * real;
        });
        expect(wrong).toEqual([]);
      }),
      RUNS,
    );
  });
});
