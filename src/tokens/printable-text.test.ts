import fc from 'fast-check';
import { printableText } from './printable-text';

describe('printable text', () => {
  it('loses characters that hide or reorder others, and keeps readable ones', () => {
    expect(printableText('US\u202eDC', 32)).toBe('USDC');
    expect(printableText('\u0000\u0007 A\u200b B \n\tC ', 32)).toBe('A B C');
    expect(printableText('USD₮0 ação 🪙', 32)).toBe('USD₮0 ação 🪙');
    expect(printableText('\u200b\u2060', 32)).toBe('');
  });

  it('never exceeds its limit, splits no character, and is stable', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.integer({ min: 1, max: 64 }), (text, limit) => {
        const printable = printableText(text, limit);
        expect(Array.from(printable).length).toBeLessThanOrEqual(limit);
        expect(printable).not.toMatch(/[\p{C}]/u);
        expect(printableText(printable, limit)).toBe(printable);
      }),
    );
  });
});
