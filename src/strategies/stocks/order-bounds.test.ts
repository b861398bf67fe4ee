import { sampleStrategy } from '../../../test/strategies/sample-strategy';
import { toMicroUsd } from '../../money/usd';
import { assertWorth } from './order-bounds';

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
