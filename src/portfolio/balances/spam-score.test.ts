import fc from 'fast-check';
import { KNOWN_CHAINS } from '../../chains/known-chains';
import type { Chain } from '../../chains/chain';
import { hasInvisibleCharacters } from '../../tokens/printable-text';
import { nameToken } from '../../tokens/name-token';
import { assessToken, assessUnknown, SPAM_REASONS } from './spam-score';

const listed = ['USDC', 'USDT', 'WETH', 'BRLA'].map((symbol, index) => ({
  address: `0x${String(index + 1).padStart(40, '0')}`,
  symbol,
  name: symbol,
  decimals: 6,
}));
const CHAIN: Chain = { ...KNOWN_CHAINS[0]!, tokens: listed };

const assess = (symbol: string, name: string, decimals = 18) => {
  const { flaws = [], ...texts } = nameToken('0x1234…5678', { symbol, name, decimals });
  return assessToken(CHAIN, { ...texts, flaws });
};

describe('the spam score', () => {
  it.each([
    ['CAKE', 'PancakeSwap Token'],
    ['YFI', 'yearn.finance'],
    ['USDC.e', 'Bridged USDC'],
    ['stETH', 'Liquid staked Ether 2.0'],
    ['UNI-V2', 'Uniswap V2'],
    ['1INCH', '1inch Token'],
    ['BAL', 'Balancer'],
    ['RPL', 'Rocket Pool Protocol'],
  ])('leaves the ordinary token %s (%s) alone', (symbol, name) => {
    expect(assess(symbol, name)).toMatchObject({ isSpam: false });
  });

  it.each([
    ['Visit https://gift-eth.xyz', 'x', 'URL'],
    ['ETH', 'www.claim-eth.com', 'URL'],
    ['t.me/airdropbot', 'Token', 'URL'],
    ['LUCKY', 'claim your reward', 'LURE'],
    ['US\u202EDC', 'USD Coin', 'HIDDEN_CHARACTERS'],
    ['U\u200BSDC', 'USD Coin', 'HIDDEN_CHARACTERS'],
    ['USD\u0421', 'USD Coin', 'CONFUSABLE_SYMBOL'],
    ['\uFF35\uFF33\uFF24\uFF23', 'USD Coin', 'CONFUSABLE_SYMBOL'],
    ['WET\u041D', 'Wrapped Ether', 'CONFUSABLE_SYMBOL'],
    ['USDC', 'USD Coin', 'LISTED_SYMBOL'],
    ['usdt', 'Tether', 'LISTED_SYMBOL'],
    ['', '', 'NO_SYMBOL'],
    ['A VERY LONG SYMBOL INDEED', 'bigsite.com', 'LONG_SYMBOL'],
  ])('marks %j (%j) as spam, with the reason %s', (symbol, name, reason) => {
    const { isSpam, reasons, score } = assess(symbol, name);
    expect([isSpam, reasons]).toEqual([true, expect.arrayContaining([reason])]);
    expect(score).toBeGreaterThanOrEqual(50);
  });

  it('gives a weak sign alone its reason, but no mark', () => {
    expect(assess('TICKET', 'Ticket', 0)).toEqual({ score: 20, reasons: ['NO_DECIMALS'], isSpam: false });
    expect(assess('SEVENTEENLETTERSX', 'A token')).toEqual({ score: 30, reasons: ['LONG_SYMBOL'], isSpam: false });
  });

  it('marks a contract without metadata, but not a token that was not checked', () => {
    expect(assessUnknown('NO_METADATA')).toEqual({ score: 50, reasons: ['NO_METADATA'], isSpam: true });
    expect(assessUnknown('UNCHECKED')).toEqual({ score: 0, reasons: ['UNCHECKED'], isSpam: false });
  });

  it('is 0 to 100 with known reasons for any texts', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.nat(36),
        (symbol, name, decimals) => {
          const { score, reasons, isSpam } = assess(symbol, name, decimals);
          expect(score >= 0 && score <= 100).toBe(true);
          expect(isSpam).toBe(score >= 50);
          for (const reason of reasons) expect(SPAM_REASONS).toContain(reason);
        },
      ),
    );
  });

  it('takes a time in proportion to the text, however it is made', () => {
    const started = process.cpuUsage();
    for (const part of ['a.', ' .', '- . ', 'claim', '\u202E']) assess(part.repeat(50_000), part.repeat(50_000));
    const { user, system } = process.cpuUsage(started);
    expect(user + system).toBeLessThan(5_000_000);
  });
});

test('hidden characters are found wherever they stand, and never in ordinary texts', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme-ascii', maxLength: 50 }),
      fc.constantFrom('\u200B', '\u202E', '\u2066', '\uFEFF', '\u00AD', '\u{E0041}', '\u0000', '\u200F'),
      (text, hidden) => {
        expect(hasInvisibleCharacters(text)).toBe(false);
        expect(hasInvisibleCharacters(text + hidden)).toBe(true);
        expect(hasInvisibleCharacters(hidden + text)).toBe(true);
      },
    ),
  );
});
