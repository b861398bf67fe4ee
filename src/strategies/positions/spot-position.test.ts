import { addressOf, ethereum, rowOf } from '../../../test/strategies/scripted-catalog';
import type { UsdPrice } from '../../money/usd';
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
  const { profit } = spotPosition(reading, {
    price: undefined,
    rewardPrices: [],
    fees: { performanceBps, markupBps: 0 },
    charged,
  });
  return profit?.afterFees;
};

describe('the rewards of a position', () => {
  it('are shown in their own tokens, with a value where there is a price, also after everything was withdrawn', () => {
    const reward = { ...token, address: addressOf(8), symbol: 'RWD', decimals: 18 };
    const rewards = [
      { token: reward, amount: 15n * 10n ** 17n },
      { token, amount: 7n },
    ];
    const holding = { ...reading.holding, shares: 0n, value: 0n, receiptBalance: 0n, availableToWithdraw: 0n, rewards };
    const fees = { performanceBps: 0, markupBps: 0 };
    const rewardPrices = [(2n * 10n ** 24n) as UsdPrice, undefined];
    const deps = { price: undefined, rewardPrices, fees, charged: undefined };
    const { availableToClaim } = spotPosition({ ...reading, holding }, deps);
    expect(availableToClaim).toEqual([
      expect.objectContaining({ asset: reward.address, symbol: 'RWD', humanized: '1.5', valueUSD: '3' }),
      expect.objectContaining({ asset: token.address, value: '7', valueUSD: undefined }),
    ]);
    expect(
      spotPosition(reading, { price: undefined, rewardPrices: [], fees, charged: undefined }).availableToClaim,
    ).toEqual([]);
  });
});

describe('the requests of a position', () => {
  const price = (10n ** 24n) as UsdPrice;
  const spotOf = (holding: PositionReading['holding']) =>
    spotPosition(
      { ...reading, holding },
      { price, rewardPrices: [], fees: { performanceBps: 0, markupBps: 0 }, charged: undefined },
    );

  it('are shown in assets and in shares while they are pending, and as what their claims bring', () => {
    const spot = spotOf({
      ...reading.holding,
      requests: {
        lend: { assets: 7_000_000n, shares: 6n },
        withdraw: { assets: 5n, shares: 4n },
        claimableLend: { assets: 3_000_000n, shares: 2n, worth: 4_000_000n },
        claimableWithdraw: { assets: 9n, shares: 8n },
      },
    });
    const valuesOf = (amounts: readonly { readonly value: string }[]) => amounts.map(({ value }) => value);
    expect([spot.requestedToLend, spot.requestedToLendInShares].map(valuesOf)).toEqual([['7000000'], ['6']]);
    expect([spot.requestedToWithdraw, spot.requestedToWithdrawInShares].map(valuesOf)).toEqual([['5'], ['4']]);
    expect(spot.availableToClaim).toMatchObject([{ value: '2', valueUSD: '4' }, { value: '9' }]);
    expect(spot.requestedUsd).toBe(11_000_000n);
  });

  it('leave the wallet only the worth of the receipt tokens that it still has', () => {
    const requests = {
      lend: { assets: 0n, shares: 0n },
      withdraw: { assets: 500n, shares: 250n },
      claimableLend: { assets: 0n, shares: 0n, worth: 0n },
      claimableWithdraw: { assets: 300n, shares: 150n },
    };
    const spot = spotOf({ ...reading.holding, value: 2_000_800n, receiptBalance: 600n, requests });
    expect(spot.receiptBalance).toMatchObject({ value: '600', valueUSD: '2' });
    expect(spot.currentPosition).toMatchObject({ value: '2000800', valueUSD: '2.0008' });
  });

  it('state the worth of the receipt tokens that the protocol states', () => {
    const spot = spotOf({ ...reading.holding, value: 3_000_000n, receiptBalance: 600n, receiptWorth: 1_000_000n });
    expect(spot.receiptBalance).toMatchObject({ value: '600', valueUSD: '1' });
  });

  it('are empty lists without any, and worth nothing', () => {
    const spot = spotOf(reading.holding);
    const lists = [spot.requestedToLend, spot.requestedToLendInShares, spot.requestedToWithdraw, spot.availableToClaim];
    expect([lists, spot.requestedUsd]).toEqual([[[], [], [], []], 0n]);
  });
});

describe('a position whose rewards cannot be read', () => {
  const spotOf = (problem: PositionReading['problem']) =>
    spotPosition(
      { ...reading, problem, holding: { ...reading.holding, unreadRewards: [token] } },
      { price: undefined, rewardPrices: [], fees: { performanceBps: 0, markupBps: 0 }, charged: undefined },
    );

  it('is stale, and shows its cost, unless its history is uncertain as well', () => {
    expect(spotOf(undefined)).toMatchObject({
      stale: true,
      staleReason: 'REWARDS_UNREAD',
      availableToClaim: [],
      principal: { value: '1000' },
    });
    expect(spotOf('HISTORY_INCOMPLETE').staleReason).toBe('HISTORY_INCOMPLETE');
  });
});

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
