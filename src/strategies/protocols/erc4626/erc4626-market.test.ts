import { sampleStrategy } from '../../../../test/strategies/sample-strategy';
import { erc4626 } from './erc4626';

const strategy = sampleStrategy('erc4626');
const acceptsDeposits = (maxDeposit: bigint | undefined, trustMax = true) =>
  erc4626
    .market({ ...strategy, row: { ...strategy.row, trustMax } })
    .decode([10n ** 12n, 10n ** 12n, 10n ** 6n, maxDeposit], { number: 1n, timestamp: 1n })?.acceptsDeposits;

it('a vault accepts deposits while its limit allows them, and not when it cannot state the limit', () => {
  expect([acceptsDeposits(5n), acceptsDeposits(0n), acceptsDeposits(undefined)]).toEqual([true, false, false]);
});

it('a vault whose limits are not trusted accepts deposits whatever it states', () => {
  expect([acceptsDeposits(0n, false), acceptsDeposits(undefined, false)]).toEqual([true, true]);
});
