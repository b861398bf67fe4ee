import fc from 'fast-check';
import {
  DAI,
  devnet,
  devnetL2,
  ETH,
  L2_USDC,
  offerFor,
  PRICED_AT,
  quoteRequest,
  units,
  USDC,
} from '../../test/swaps/swap-world';
import { usdPrice } from '../../test/setup/usd';
import { ONE_DOLLAR, parseUsd, sumUsd, toUsdPrice, type UsdPrice } from '../money/usd';
import { feeBreakdown, type Trade } from './fee-breakdown';
import { tradeImpact } from './price-impact';

const price = (usd: UsdPrice) => ({ usd, asOf: PRICED_AT, source: 'peg' });
const market = {
  tokenIn: price(ONE_DOLLAR),
  tokenOut: price(ONE_DOLLAR),
  native: price(usdPrice('2000')),
  feePerGas: undefined,
};
const bridged = quoteRequest({ destination: devnetL2, tokenOut: L2_USDC });

const trade = (changes: Partial<Trade['offer']>, request = bridged): Trade => ({
  request,
  market,
  offer: { ...offerFor(request, { priced: 4_950_000n }), ...changes },
});

describe('the fees of a transfer between chains', () => {
  it('are the named bridge fees, the native fee, and the remaining difference', () => {
    const fees = [
      { label: 'Relayer', asset: 'tokenOut' as const, amount: units(20_000n) },
      { label: 'Liquidity', asset: 'tokenIn' as const, amount: units(10_000n) },
    ];
    const { lines, summary } = feeBreakdown(trade({ fees, nativeFee: 10n ** 13n }));
    expect(lines).toMatchObject([
      { kind: 'bridgeAndSlippage', label: 'Price impact', asset: 'tokenOut', amountRaw: '20000', signed: true },
      { kind: 'bridgeAndSlippage', label: 'Relayer', asset: 'tokenOut', amountRaw: '20000', amountInUSD: '0.02' },
      { kind: 'bridgeAndSlippage', label: 'Liquidity', asset: 'tokenIn', amountRaw: '10000', amountInUSD: '0.01' },
      {
        kind: 'bridgeAndSlippage',
        label: 'Bridge fee',
        symbol: 'ETH',
        amountRaw: '10000000000000',
        amountInUSD: '0.02',
      },
    ]);
    expect(summary.bridgeAndSlippageImpactOutUSD).toBe('0.07');
  });

  it('of a ramp are not counted as bridge and slippage loss', () => {
    const fees = [{ kind: 'paymentRail' as const, label: 'Pix', asset: 'tokenOut' as const, amount: units(20_000n) }];
    const { lines, summary } = feeBreakdown(trade({ fees }));
    expect(lines.map(({ kind, amountInUSD }) => [kind, amountInUSD])).toEqual([
      ['bridgeAndSlippage', '0.03'],
      ['paymentRail', '0.02'],
    ]);
    expect(summary).toEqual({ platformFeesTotalInUSD: '0', bridgeAndSlippageImpactOutUSD: '0.03' });
  });

  it('add up to the loss against market prices, for any fees and prices', () => {
    const amounts = fc.bigInt({ min: 1n, max: 10n ** 30n });
    const prices = fc.bigInt({ min: 10n ** 18n, max: 10n ** 30n }).map((value) => toUsdPrice(value)!);
    fc.assert(
      fc.property(fc.tuple(amounts, amounts, amounts), prices, ([amountIn, out, fee], usd) => {
        const fees = [{ label: 'Fee', asset: 'tokenOut' as const, amount: units(fee) }];
        const offer = { ...offerFor(bridged), amountIn: units(amountIn), expectedAmountOut: units(out), fees };
        const prices = { ...market, tokenIn: price(usd) };
        const { lost, bps } = tradeImpact({ request: bridged, offer, market: prices })!;
        const fair = lost + out + fee;
        const exact = (amountIn * usd) / ONE_DOLLAR;
        if (exact > 0n) expect(fair).toBe(exact);
        expect(Number.isInteger(bps) && bps <= 10_000 && bps >= -(2 ** 31)).toBe(true);
      }),
    );
  });

  it('sum up exactly to the total in US dollars', () => {
    const amounts = fc.bigInt({ min: 0n, max: 10n ** 30n });
    fc.assert(
      fc.property(amounts, amounts, (relayer, nativeFee) => {
        const fees = [{ label: 'Relayer', asset: 'tokenOut' as const, amount: units(relayer) }];
        const { lines, summary } = feeBreakdown(trade({ fees, nativeFee }));
        const costs = lines.map(({ amountInUSD }) => parseUsd(amountInUSD!)!);
        expect(parseUsd(summary.bridgeAndSlippageImpactOutUSD!)).toBe(sumUsd(costs));
      }),
    );
  });

  it('may be a gain', () => {
    const { lines, summary } = feeBreakdown(trade({ expectedAmountOut: units(5_010_000n) }));
    expect(lines[0]).toMatchObject({ amountRaw: '-10000', amountInUSD: '-0.01', signed: true });
    expect(summary.bridgeAndSlippageImpactOutUSD).toBe('-0.01');
    expect(tradeImpact(trade({ expectedAmountOut: units(5_010_000n) }))!.bps).toBe(-20);
  });

  it('fall back to the quoted impact when a price is missing, and then have no sum', () => {
    const unpriced = { ...trade({ priceImpactBps: 12 }), market: { ...market, tokenOut: undefined } };
    expect(tradeImpact(unpriced)!.bps).toBe(12);
    expect(feeBreakdown(unpriced).summary.bridgeAndSlippageImpactOutUSD).toBeUndefined();
  });

  it('respect decimals and prices of both tokens', () => {
    const request = quoteRequest({ destination: devnetL2, tokenIn: ETH, tokenOut: L2_USDC, amount: units(10n ** 18n) });
    const offer = { ...offerFor(request), expectedAmountOut: units(1_990_000_000n) };
    const impact = tradeImpact({ request, offer, market: { ...market, tokenIn: price(usdPrice('2000')) } });
    expect(impact).toEqual({ lost: 10_000_000n, bps: 50 });
  });
});

describe('the fees of a same-chain swap', () => {
  const swap = quoteRequest({ tokenIn: USDC, tokenOut: DAI, origin: devnet });

  it.each([undefined, 0, 12])('include the impact against market prices, not of the venue: %s', (priceImpactBps) => {
    const priced = trade({ priceImpactBps, expectedAmountOut: units(49n * 10n ** 17n) }, swap);
    expect(tradeImpact(priced)).toEqual({ lost: 10n ** 17n, bps: 200 });
  });

  it('include the reported impact while a price is missing', () => {
    const unpriced = { ...market, tokenIn: undefined };
    const reported = trade({ priceImpactBps: 12, expectedAmountOut: units(9_988n) }, swap);
    expect(tradeImpact({ ...reported, market: unpriced })).toEqual({ lost: 12n, bps: 12 });
  });

  it('have no impact and no sum where the impact is unknown', () => {
    const unknown = { ...trade({ priceImpactBps: undefined }, swap), market: { ...market, tokenOut: undefined } };
    expect(tradeImpact(unknown)).toBeUndefined();
    const { lines, summary } = feeBreakdown(unknown);
    expect(lines).toEqual([]);
    expect(summary.bridgeAndSlippageImpactOutUSD).toBeUndefined();
  });

  it('name the fees of an aggregator', () => {
    const fees = [{ label: 'Aggregator', asset: 'tokenIn' as const, amount: units(50_000n) }];
    expect(feeBreakdown(trade({ fees }, swap)).lines.map(({ label }) => label)).toEqual(['Price impact', 'Aggregator']);
  });
});
