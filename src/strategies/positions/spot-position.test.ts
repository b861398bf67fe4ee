import { addressOf, ethereum, rowOf } from '../../../test/strategies/scripted-catalog';
import type { Token } from '../../tokens/token';
import { foldPosition } from './position-state';
import type { PositionReading } from './read-positions';
import { spotPosition } from './spot-position';

const token: Token = {
  chainId: 1,
  address: addressOf(9),
  symbol: 'TKN',
  name: 'Token',
  decimals: 6,
  logoURI: undefined,
};
const state = foldPosition([{ kind: 'deposit', shares: 1000n, assets: 1000n }]);
const reading: PositionReading = {
  strategy: { row: rowOf(1), chain: ethereum, underlying: token, receipt: token, contracts: {} },
  asOf: { blockNumber: 1n, time: new Date(0) },
  holding: {
    shares: 1000n,
    value: 2000n,
    receiptBalance: 1000n,
    availableToWithdraw: 2000n,
    isAvailableTrusted: true,
    debt: 0n,
  },
  state,
  total: undefined,
  recent: [],
  problem: undefined,
};
const afterFees = (charged: PositionReading['state'], performanceBps = 1000) => {
  const { profit } = spotPosition(reading, { price: undefined, fees: { performanceBps, markupBps: 0 }, charged });
  return profit?.afterFees;
};

describe('the profit of a position after fees', () => {
  it('is without the fees on the profit since the marks', () => {
    expect(afterFees({ ...state, cost: (state.cost * 3n) / 2n })).toBe('950');
    expect(afterFees(state)).toBe('900');
    expect(afterFees(state, 0)).toBe('1000');
  });

  it('is the least that remains while the costs at the marks are uncertain', () => {
    expect(afterFees(undefined)).toBe('900');
  });
});
