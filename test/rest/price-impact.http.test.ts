import { customerNamed, rest, type RestResponse, runningService } from '../setup/running-service';
import { tokenOf } from './error-codes-cases';
import { expectFailure } from './expect-failure';

const service = runningService();
const { apiKey } = customerNamed(service, 'load');
/** BRZ has one pool, with about 30,000 dollars on each side. */
const ROUTE = {
  originChain: 'devnet',
  destinationChain: 'devnet',
  tokenIn: tokenOf(service, 'devnet', 'USDC'),
  tokenOut: tokenOf(service, 'devnet', 'BRZ'),
};
const WHOLE_SIDE = (30_000n * 10n ** 6n).toString();

const quote = (fields: Readonly<Record<string, string>>): Promise<RestResponse> =>
  rest(`/v2/swap/quote?${new URLSearchParams({ ...ROUTE, ...fields }).toString()}`, { apiKey });

describe('a trade that is too large for its pools', () => {
  it('is refused with the largest amount within 15 %, which is then quoted', async () => {
    const refused = await quote({ amountIn: WHOLE_SIDE });
    expectFailure(refused, 'AMOUNT_IN_TOO_HIGH');
    const { details, message } = refused.body.error;
    expect(message).toMatch(/\(max ~[0-9.]+ USDC with a price impact of at most 15 %\)$/);
    expect(details).toMatchObject({ currency: 'USDC', decimals: 6, maxPriceImpactBps: 1500 });
    expect(details.priceImpactBps).toBeGreaterThan(4000);
    const accepted = await quote({ amountIn: details.maximum });
    expect(accepted.status).toBe(200);
    const { priceImpactBps } = accepted.body.quote;
    expect(priceImpactBps).toBeGreaterThan(1200);
    expect(priceImpactBps).toBeLessThanOrEqual(1500);
    const larger = ((BigInt(details.maximum) * 12n) / 10n).toString();
    expectFailure(await quote({ amountIn: larger }), 'AMOUNT_IN_TOO_HIGH');
  });

  it('is quoted when the caller accepts its price impact', async () => {
    const { status, body } = await quote({ amountIn: WHOLE_SIDE, maxPriceImpactBps: '10000' });
    expect(status).toBe(200);
    expect(body.quote.priceImpactBps).toBeGreaterThan(4000);
    const strict = await quote({ amountIn: (1000n * 10n ** 6n).toString(), maxPriceImpactBps: '100' });
    expectFailure(strict, 'AMOUNT_IN_TOO_HIGH');
    expect(strict.body.error.details).toMatchObject({ maxPriceImpactBps: 100 });
  });

  it('is refused with both amounts for an exact output, also one that no pool holds', async () => {
    for (const whole of [100_000n, 10_000_000n]) {
      const refused = await quote({ amountOut: (whole * 10n ** 18n).toString() });
      expectFailure(refused, 'AMOUNT_IN_TOO_HIGH');
      const { maximumAmountOut } = refused.body.error.details;
      expect((await quote({ amountOut: maximumAmountOut })).status).toBe(200);
    }
  });

  it.each(['-1', '10001', '0.5', 'none'])('needs a bound of 0 to 10000: %s', async (maxPriceImpactBps) => {
    const refused = await quote({ amountIn: '1000000', maxPriceImpactBps });
    expectFailure(refused, 'VALIDATION_ERROR');
    expect(refused.body.error.details.errors).toMatchObject([{ path: 'maxPriceImpactBps' }]);
  });
});
