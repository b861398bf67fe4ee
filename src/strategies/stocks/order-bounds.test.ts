import { sampleStrategy } from '../../../test/strategies/sample-strategy';
import { scriptedCow } from '../../../test/strategies/scripted-cow';
import { toMicroUsd } from '../../money/usd';
import { assertGasPaid, assertWorth } from './order-bounds';

const strategy = sampleStrategy('tokenized-stock');
const bounds = { minOrderUsd: toMicroUsd(5_000_000n), maxOpen: 1 };

it('an order below the minimum of the deployment is a fault of the request', () => {
  expect(() => assertWorth(bounds, strategy, 4_999_999n)).toThrow(
    expect.objectContaining({
      code: 'LENDING_BAD_REQUEST',
      details: expect.objectContaining({ kind: 'TOO_SMALL' }) as object,
    }),
  );
  expect(() => assertWorth(bounds, strategy, 5_000_000n)).not.toThrow();
});

it('the minimum is the same for a dollar token with 18 decimals', () => {
  const own = { underlying: { ...strategy.underlying, decimals: 18 } };
  expect(() => assertWorth(bounds, own, 5n * 10n ** 18n - 1n)).toThrow();
  expect(() => assertWorth(bounds, own, 5n * 10n ** 18n)).not.toThrow();
});

it('an order whose gas costs more than the service pays is refused until it is cheaper', async () => {
  const maximum = 10_000_000n; // that of the scripted chain
  const gasOf = (maxFeePerGas: bigint) => scriptedCow({ head: 100n, balance: 0n, maxFeePerGas }).venue;
  // One and a half of 441,000 units of gas, and 42,000 more, at 3000 dollars.
  const affordable = (maximum * 10n ** 12n) / 3000n / 703_500n;
  await assertGasPaid(gasOf(affordable), strategy);
  await expect(assertGasPaid(gasOf(affordable + 10n ** 6n), strategy)).rejects.toMatchObject({
    code: 'LENDING_SERVICE_UNAVAILABLE',
    details: { reason: 'The gas costs more than the service pays: request the order later' },
  });
  const unpriced = scriptedCow({ head: 100n, balance: 0n, coinPrice: null }).venue;
  await expect(assertGasPaid(unpriced, strategy)).rejects.toMatchObject({ code: 'LENDING_SERVICE_UNAVAILABLE' });
});
