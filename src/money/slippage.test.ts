import fc from 'fast-check';
import { parseShare, partOf, type PartsPerMillion, WHOLE_SHARE } from './slippage';

const amounts = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const shares = fc.bigInt({ min: 0n, max: WHOLE_SHARE }).map((share) => share as PartsPerMillion);

describe('a share of an amount', () => {
  it('is rounded down', () => {
    fc.assert(
      fc.property(amounts, shares, (amount, share) => {
        const rest = amount * share - partOf(amount, share) * WHOLE_SHARE;
        expect(rest >= 0n && rest < WHOLE_SHARE).toBe(true);
      }),
    );
  });

  it('is the amount itself when it is whole', () => {
    fc.assert(fc.property(amounts, (amount) => expect(partOf(amount, WHOLE_SHARE)).toBe(amount)));
  });

  it.each([
    ['0', 0n],
    ['0.1', 100_000n],
    ['0.070', 70_000n],
    ['0.000001', 1n],
    ['1', 1_000_000n],
    ['1.000000', 1_000_000n],
  ])('is read from %s', (text, share) => {
    expect(parseShare(text)).toBe(share);
  });

  it.each(['', '-0.1', '.1', '1.', '1.000001', '2', '0.0000001', '1e-3', '00.1', ' 0.1'])(
    'is not read from %j',
    (text) => {
      expect(parseShare(text)).toBeUndefined();
    },
  );
});
