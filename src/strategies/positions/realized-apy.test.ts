import { heldSpans, realizedApy } from './realized-apy';

const RAY = 10n ** 27n;
const DAY = 86_400_000;
const start = new Date('2026-01-01T00:00:00.000Z');
const after = (days: number): Date => new Date(start.getTime() + days * DAY);
/** Price of a share that earns 10 % a year, compounded. */
const priceAt = (time: Date): bigint =>
  (RAY * BigInt(Math.round(1.1 ** ((time.getTime() - start.getTime()) / (365 * DAY)) * 1e15))) / 10n ** 15n;

describe('the realized yearly rate', () => {
  it('is the rate of the price for a wallet that held shares all the time', () => {
    const spans = heldSpans({ from: start, to: after(7) }, { sharesBefore: 5n, changes: [] }, priceAt);
    expect(realizedApy(spans ?? [])).toBeCloseTo(0.1, 8);
  });

  it('counts only the times in which shares were held', () => {
    const changes = [
      { at: after(2), sharesAfter: 0n, sharePriceRay: undefined },
      { at: after(5), sharesAfter: 9n, sharePriceRay: undefined },
      { at: after(6), sharesAfter: 4n, sharePriceRay: undefined },
    ];
    const spans = heldSpans({ from: start, to: after(8) }, { sharesBefore: 5n, changes }, priceAt);
    expect(spans?.map(({ from, to }) => (to.getTime() - from.getTime()) / DAY)).toEqual([2, 3]);
    expect(realizedApy(spans ?? [])).toBeCloseTo(0.1, 8);
  });

  it('is missing when shares were held for less than a day, or when a price is unknown', () => {
    const short = heldSpans({ from: start, to: after(0.9) }, { sharesBefore: 5n, changes: [] }, priceAt);
    expect(realizedApy(short ?? [])).toBeUndefined();
    expect(realizedApy([])).toBeUndefined();
    expect(
      heldSpans({ from: start, to: after(7) }, { sharesBefore: 5n, changes: [] }, () => undefined),
    ).toBeUndefined();
  });

  it('is negative for a price that fell', () => {
    const [span] = [{ from: start, to: after(365), startPriceRay: RAY, endPriceRay: (RAY * 9n) / 10n }];
    expect(realizedApy([span])).toBeCloseTo(-0.1, 10);
  });
});
