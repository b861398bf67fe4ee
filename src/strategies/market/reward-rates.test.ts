import fc from 'fast-check';
import { usdPrice } from '../../../test/setup/usd';
import { RECEIPT, sampleStrategy, UNDERLYING } from '../../../test/strategies/sample-strategy';
import { RAY } from '../../money/ray';
import { toUsdPrice } from '../../money/usd';
import type { RewardEmission } from '../protocols/protocol';
import { exactJson } from './market-store';
import { parseRewardRates, type PricesByAddress, rewardRates } from './reward-rates';

const { underlying, receipt } = sampleStrategy('aave-v3');
const reward = { ...receipt, decimals: 18 };
const prices = (usd: string, isConfirmed = true): PricesByAddress =>
  new Map([
    [UNDERLYING, { usdE24: usdPrice('1'), isConfirmed: true }],
    [RECEIPT, { usdE24: usdPrice(usd), isConfirmed }],
  ]);
const emission = (changes: Partial<RewardEmission> = {}): RewardEmission => ({
  token: reward,
  perYear: 10n ** 21n,
  ...changes,
});
const TVL = 1_000_000n * 10n ** 6n;
const rates = (emissions: readonly RewardEmission[], known = prices('50'), tvl = TVL) =>
  rewardRates({ emissions, tvl }, underlying, known);

it('the rate is the worth of a year of rewards as a part of the worth of all deposits, to the last digit', () => {
  // 1,000 tokens of 50 dollars for a million dollars.
  expect(rates([emission({ endsAt: 1_800_000_000n })])).toEqual([
    { token: RECEIPT, perYear: 10n ** 21n, endsAt: new Date(1_800_000_000_000), rateRay: RAY / 20n, flags: [] },
  ]);
  const amounts = fc.bigInt({ min: 1n, max: 10n ** 24n });
  const price = fc.bigInt({ min: 10n ** 20n, max: 10n ** 28n });
  const decimals = fc.integer({ min: 0, max: 24 });
  fc.assert(
    fc.property(fc.tuple(amounts, amounts, price, price, decimals), ([perYear, tvl, first, second, places]) => {
      const token = { ...reward, decimals: places };
      const known: PricesByAddress = new Map([
        [UNDERLYING, { usdE24: toUsdPrice(first)!, isConfirmed: true }],
        [RECEIPT, { usdE24: toUsdPrice(second)!, isConfirmed: true }],
      ]);
      const { rateRay, flags } = rates([{ token, perYear }], known, tvl)[0]!;
      const paid = perYear * second * 10n ** 6n * RAY;
      const deposited = tvl * first * 10n ** BigInt(places);
      if (paid > 101n * RAY * deposited) {
        expect([rateRay, flags]).toEqual([undefined, ['IMPLAUSIBLE']]);
      } else if (rateRay !== undefined) {
        expect(rateRay * deposited).toBeLessThanOrEqual(paid);
        expect((rateRay + 1n) * deposited).toBeGreaterThan(paid);
      }
    }),
  );
});

it('an unknown price leaves the emission without a rate, and one that a single source has is marked', () => {
  expect(rates([emission()], new Map())).toMatchObject([
    { perYear: 10n ** 21n, rateRay: undefined, flags: ['NO_PRICE'] },
  ]);
  const withoutAsset: PricesByAddress = new Map([[RECEIPT, { usdE24: usdPrice('1'), isConfirmed: true }]]);
  expect(rates([emission()], withoutAsset)).toMatchObject([{ rateRay: undefined, flags: ['NO_PRICE'] }]);
  expect(rates([emission()], prices('50', false))).toMatchObject([
    { rateRay: RAY / 20n, flags: ['UNCONFIRMED_PRICE'] },
  ]);
});

it('one that pays nothing has the rate 0, also without a price', () => {
  expect(rates([emission({ perYear: 0n })], new Map(), 0n)).toMatchObject([{ perYear: 0n, rateRay: 0n, flags: [] }]);
});

it.each<[string, { readonly changes: Partial<RewardEmission>; readonly tvl: bigint }, readonly string[]]>([
  ['an emission that cannot be read', { changes: { perYear: undefined }, tvl: TVL }, ['UNREAD']],
  ['an emission of 2^255', { changes: { perYear: 2n ** 255n }, tvl: TVL }, ['IMPLAUSIBLE']],
  ['an emission below zero', { changes: { perYear: -1n }, tvl: TVL }, ['IMPLAUSIBLE']],
  ['no deposits', { changes: {}, tvl: 0n }, ['NO_DEPOSITS']],
  ['a deposit of one unit', { changes: {}, tvl: 1n }, ['IMPLAUSIBLE']],
  ['a token without decimals', { changes: { token: { ...reward, decimals: 0 } }, tvl: TVL }, ['IMPLAUSIBLE']],
])('%s has no rate, and the other rewards keep theirs', (_, { changes, tvl }, flags) => {
  const [broken, nothing] = rates([emission(changes), emission({ perYear: 0n })], prices('50'), tvl);
  expect([broken!.rateRay, broken!.flags]).toEqual([undefined, flags]);
  expect(nothing).toMatchObject({ rateRay: 0n, flags: [] });
});

it('77 decimals make a rate of nearly nothing, and an end beyond all years is none', () => {
  const [rate] = rates([emission({ token: { ...reward, decimals: 77 }, endsAt: 2n ** 256n - 1n })]);
  expect(rate).toMatchObject({ rateRay: 0n, endsAt: undefined, flags: [] });
});

it('rates are stored to the last digit, and those of a later version are read again', () => {
  const before = rates([emission({ endsAt: 1_800_000_000n }), emission({ perYear: undefined })]);
  expect(parseRewardRates(JSON.parse(exactJson(before)))).toEqual(before);
  expect(parseRewardRates(null)).toBeUndefined();
  expect(parseRewardRates([{ token: RECEIPT, flags: ['LATER'] }])).toBeUndefined();
});
