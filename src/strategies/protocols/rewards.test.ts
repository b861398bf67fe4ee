import { RECEIPT, sampleStrategy } from '../../../test/strategies/sample-strategy';
import type { StrategyHolding, ProtocolRead } from './protocol';
import { withRewards } from './rewards';

const BLOCK = { number: 1n, timestamp: 1n };
const HOLDING: StrategyHolding = {
  shares: 0n,
  value: 0n,
  receiptBalance: 0n,
  availableToWithdraw: 0n,
  isAvailableTrusted: true,
  debt: 0n,
};
const read = { to: RECEIPT, data: '0x' as const, decode: () => 0n };
const holding: ProtocolRead<StrategyHolding> = {
  reads: [read, read],
  decode: ([first]) => (first === undefined ? undefined : HOLDING),
};
const { underlying, receipt } = sampleStrategy('aave-v3');
const rewarded = withRewards({ rewardTokens: [underlying, receipt] }, holding, [read, read]);

it('a holding has the rewards that can be claimed, each in its own token', () => {
  expect(rewarded.reads).toHaveLength(4);
  expect(rewarded.decode([1n, 1n, 5n, 7n], BLOCK)).toEqual({
    ...HOLDING,
    rewards: [
      { token: underlying, amount: 5n },
      { token: receipt, amount: 7n },
    ],
  });
  expect(rewarded.decode([1n, 1n, 0n, 7n], BLOCK)?.rewards).toEqual([{ token: receipt, amount: 7n }]);
});

it('a reward that cannot be read leaves the deposit and the other rewards as they are, and is not taken for nothing', () => {
  expect(rewarded.decode([1n, 1n, undefined, 7n], BLOCK)).toEqual({
    ...HOLDING,
    rewards: [{ token: receipt, amount: 7n }],
    unreadRewards: [underlying],
  });
  const unread = rewarded.decode([1n, 1n, undefined, undefined], BLOCK);
  expect(unread).toEqual({ ...HOLDING, unreadRewards: [underlying, receipt] });
  expect(rewarded.decode([1n, 1n, 0n, 0n], BLOCK)).toEqual(HOLDING);
  expect(rewarded.decode([undefined, 1n, 5n, 7n], BLOCK)).toBeUndefined();
});
