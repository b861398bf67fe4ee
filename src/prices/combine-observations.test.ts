import fc from 'fast-check';
import { observed } from '../../test/prices/observation';
import { usdPrice } from '../../test/setup/usd';
import { combineObservations, dollarAnchor } from './combine-observations';

const combine = (...observations: Parameters<typeof combineObservations>[0]) =>
  combineObservations(observations, { isDollarToken: false });
const combineDollar = (...observations: Parameters<typeof combineObservations>[0]) =>
  combineObservations(observations, { isDollarToken: true });
const pyth = (usd: string) => observed(usd, { source: 'pyth' });
const market = (usd: string, source = 'defillama') => observed(usd, { source, kind: 'api' });
const PEG = observed('1', { kind: 'peg', source: 'peg' });

describe('the price of a token', () => {
  it('is missing without an observation', () => {
    expect(combine()).toEqual({ missing: 'NO_SOURCE' });
  });

  it('of one source is flagged and unconfirmed', () => {
    expect(combine(observed('2')).price).toMatchObject({
      usdE24: usdPrice('2'),
      flags: ['SINGLE_SOURCE'],
      isConfirmed: false,
    });
  });

  it('is the median observation, with its source and time', () => {
    const [low, middle, high] = [observed('99.5'), market('100'), pyth('101')];
    expect(combine(high, low, middle).price).toMatchObject({
      usdE24: middle.usdE24,
      source: 'defillama',
      kind: 'api',
      asOf: middle.asOf,
      flags: [],
      isConfirmed: true,
    });
  });

  it('of two sources is the lower one, and at most as certain as they agree', () => {
    const { price } = combine(observed('101'), pyth('100'));
    expect(price).toMatchObject({ usdE24: usdPrice('100'), confidenceBps: 9900, flags: [], isConfirmed: true });
  });

  it('is flagged and unconfirmed when the sources differ by more than 2 %', () => {
    expect(combine(observed('100'), pyth('102')).price).toMatchObject({ flags: [], isConfirmed: true });
    expect(combine(observed('100'), pyth('102.01')).price).toMatchObject({
      flags: ['DEVIATION'],
      isConfirmed: false,
    });
  });

  it('of a dollar token is flagged from 0.5 % on', () => {
    expect(combineDollar(observed('1'), pyth('1.005')).price).toMatchObject({ flags: [], isConfirmed: true });
    expect(combineDollar(observed('1'), pyth('1.0051')).price).toMatchObject({ flags: ['DEVIATION'] });
  });

  it('is missing, with the reason, when the sources differ by more than 10 %', () => {
    expect(combine(observed('100'), pyth('110')).price).toBeDefined();
    expect(combine(observed('100'), pyth('110.01'))).toEqual({ missing: 'SOURCES_DISAGREE' });
    expect(combine(observed('100'), pyth('100'), market('1'))).toEqual({ missing: 'SOURCES_DISAGREE' });
  });

  it('never assumes a peg where a source has measured the price', () => {
    expect(combineDollar(PEG, observed('0.9')).price).toMatchObject({
      usdE24: usdPrice('0.9'),
      flags: ['SINGLE_SOURCE', 'OFF_PEG'],
    });
    expect(combineDollar(PEG).price).toMatchObject({
      usdE24: usdPrice('1'),
      flags: ['PEG_UNCHECKED'],
      isConfirmed: false,
    });
  });

  it.each([
    ['0.9799', true],
    ['0.98', false],
    ['1.02', false],
    ['1.0201', true],
  ])('of a dollar token at %s is off its peg: %s', (usd, isOff) => {
    const { price } = combineDollar(observed(usd), observed(usd));
    expect(price?.flags.includes('OFF_PEG')).toBe(isOff);
  });

  it('is a present one, checked against the last close', () => {
    const close = observed('0.185', { source: 'ptax', isDaily: true });
    expect(combine(close, observed('0.187')).price).toMatchObject({
      usdE24: usdPrice('0.187'),
      isConfirmed: true,
      flags: [],
    });
    expect(combine(close, observed('0.25'))).toEqual({ missing: 'SOURCES_DISAGREE' });
    expect(combine(close).price?.isConfirmed).toBe(false);
    expect(combine(close).price).toMatchObject({ source: 'ptax', flags: ['SINGLE_SOURCE', 'LAST_CLOSE'] });
  });

  it('is neither confirmed nor hidden by the close of an earlier day, only flagged', () => {
    const close = observed('0.185', { source: 'ptax', isDaily: true, asOf: new Date(Date.now() - 3 * 86_400_000) });
    expect(combine(close, observed('0.187')).price).toMatchObject({ flags: ['SINGLE_SOURCE'], isConfirmed: false });
    const moved = { usdE24: usdPrice('0.25'), flags: ['SINGLE_SOURCE', 'DEVIATION'], isConfirmed: false };
    expect(combine(close, observed('0.25')).price).toMatchObject(moved);
    expect(combine(close, observed('0.25'), pyth('0.25')).price).toMatchObject({
      flags: ['DEVIATION'],
      isConfirmed: true,
    });
    expect(combine(close).price).toMatchObject({ source: 'ptax', flags: ['SINGLE_SOURCE', 'LAST_CLOSE'] });
  });

  it('counts two aggregators of markets once, since one repeats the mistake of the other', () => {
    const [llama, gecko] = [market('0.95'), market('0.95', 'coingecko')];
    expect(combine(llama, gecko).price).toMatchObject({ flags: ['SINGLE_SOURCE'], isConfirmed: false });
    expect(combine(llama, gecko, observed('1'), pyth('1')).price).toMatchObject({
      usdE24: usdPrice('1'),
      flags: ['DEVIATION'],
    });
    expect(combine(market('1'), market('2', 'coingecko'))).toEqual({ missing: 'SOURCES_DISAGREE' });
  });

  it('is always an observed one, within the bounds of all of them', () => {
    const cents = fc.array(fc.integer({ min: 9000, max: 9900 }), { minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(cents, (values) => {
        const all = values.map((value) => observed(`${value}`));
        const { price } = combine(...all);
        expect(all.map(({ usdE24 }) => usdE24)).toContain(price?.usdE24);
      }),
    );
  });
});

describe('the anchor of prices in pools', () => {
  const anchor = (...prices: readonly string[]) =>
    dollarAnchor([PEG, ...prices.map((usd, index) => observed(usd, { source: `source ${index}` }))]);

  it.each([[[]], [['0.5']], [['0.5', '1']], [['0.99', '1.01']], [['1000000', '1', '0.5']]])(
    'stays one dollar, flagged, when no two sources agree: %j',
    (prices) => {
      expect(anchor(...prices)).toEqual({ usdE24: usdPrice('1'), flag: 'ANCHOR_UNCONFIRMED' });
    },
  );

  it('is one dollar when two sources confirm the peg', () => {
    expect(anchor('0.9995', '1.0001')).toEqual({ usdE24: usdPrice('1'), flag: undefined });
    expect(anchor('0.9995', '1.0001', '0.2')).toEqual({ usdE24: usdPrice('1'), flag: undefined });
  });

  it('is not moved by two aggregators of markets, which may repeat one mistake', () => {
    const wrong = [market('0.5'), market('0.5', 'coingecko')];
    for (const honest of [[], [observed('1')]]) {
      expect(dollarAnchor([PEG, ...honest, ...wrong])).toEqual({ usdE24: usdPrice('1'), flag: 'ANCHOR_UNCONFIRMED' });
    }
    expect(dollarAnchor([observed('1'), pyth('1'), ...wrong])).toEqual({ usdE24: usdPrice('1'), flag: undefined });
  });

  it('is flagged when two sources agree on more than 0.5 % from the peg, and within its bounds', () => {
    expect(anchor('0.981', '0.981')).toEqual({ usdE24: usdPrice('1'), flag: 'ANCHOR_UNCONFIRMED' });
    expect(anchor('1.0051', '1.0051')).toEqual({ usdE24: usdPrice('1'), flag: 'ANCHOR_UNCONFIRMED' });
    expect(anchor('1.005', '1.005')).toEqual({ usdE24: usdPrice('1'), flag: undefined });
  });

  it('follows two sources that agree that the peg is lost, with the price nearer to the peg', () => {
    expect(anchor('0.9', '0.902')).toEqual({ usdE24: usdPrice('0.902'), flag: 'OFF_PEG' });
    expect(anchor('0.9', '0.902', '1')).toEqual({ usdE24: usdPrice('0.902'), flag: 'OFF_PEG' });
  });

  it('is never moved by a single source, whatever it states', () => {
    const honest = fc.constantFrom('0.999', '1', '1.001');
    const wrong = fc.integer({ min: 1, max: 1_000_000_000 });
    fc.assert(
      fc.property(honest, honest, wrong, (one, other, value) => {
        expect(anchor(one, other, `${value}`).usdE24).toBe(usdPrice('1'));
        expect(anchor(one, `0.${value}`).usdE24).toBe(usdPrice('1'));
      }),
    );
  });
});
