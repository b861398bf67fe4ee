import type { TokenBalance } from './read-balances';
import { CLEAN } from './spam-score';
import { sliceTokens, visibleBalances } from './visible-balances';

const token = (address: string, change: Partial<TokenBalance> = {}): TokenBalance => ({
  chainId: 1,
  address,
  isNative: false,
  symbol: address,
  name: address,
  decimals: 6,
  logoURI: undefined,
  isListed: false,
  isPinned: false,
  amount: 1n,
  humanized: '0.000001',
  problem: undefined,
  spam: CLEAN,
  ...change,
});
const spam = { score: 60, reasons: ['URL'], isSpam: true } as const;
const unreadable = { amount: undefined, humanized: undefined, problem: 'REVERTED' } as const;
const SECTION = {
  chainId: 1,
  chain: 'ethereum',
  asOf: undefined,
  isStale: false,
  ageSeconds: undefined,
  error: undefined,
  isTruncated: false,
  tokens: [
    token('native', { isNative: true, amount: 0n }),
    token('pinned', { isPinned: true, amount: 0n }),
    token('pinned spam', { isPinned: true, spam }),
    token('held'),
    token('zero', { amount: 0n }),
    token('spam', { spam }),
    token('zero spam', { amount: 0n, spam }),
    token('broken', unreadable),
  ],
};
const shown = (includeZero: boolean, includeSpam: boolean) => {
  const { tokens, hiddenSpam } = visibleBalances(SECTION, { includeZero, includeSpam });
  return [tokens.map(({ address }) => address), hiddenSpam];
};

describe('the balances that are shown', () => {
  const always = ['native', 'pinned', 'pinned spam', 'held'];

  it('are those that the wallet holds, pinned ones, and those that cannot be read: a missing amount is no zero', () => {
    expect(shown(false, false)).toEqual([[...always, 'broken'], 1]);
  });

  it('have tokens of 0 and spam on request, each on its own', () => {
    expect(shown(true, false)).toEqual([[...always, 'zero', 'broken'], 2]);
    expect(shown(false, true)).toEqual([[...always, 'spam', 'broken'], 0]);
    expect(shown(true, true)).toEqual([SECTION.tokens.map(({ address }) => address), 0]);
  });
});

describe('a slice of tokens', () => {
  const tokens = Array.from({ length: 600 }, (_, index) => token(String(index)));

  it('has 50 items by default, and continues at the offset', () => {
    expect(sliceTokens(tokens, {})).toEqual(tokens.slice(0, 50));
    expect(sliceTokens(tokens, { limit: 500, offset: 500 })).toEqual(tokens.slice(500));
    expect(sliceTokens(tokens, { limit: null, offset: null })).toHaveLength(50);
  });

  it.each([
    [{ limit: 0 }, ['limit']],
    [{ limit: 501 }, ['limit']],
    [{ offset: -1 }, ['offset']],
    [{ limit: -5, offset: 10_001 }, ['limit', 'offset']],
  ])('of %j is refused with the arguments at fault', (slice, paths) => {
    const errors = paths.map((path) => ({ path, message: expect.any(String) as string }));
    expect(() => sliceTokens(tokens, slice)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', details: { errors } }),
    );
  });
});
