import { chains, rowOf } from '../../../test/strategies/scripted-catalog';
import type { CustomerFees } from '../fees/customer-fees';
import type { MarketsSnapshot } from '../market/latest-markets';
import type { Strategy } from '../strategy';
import { selectStrategies, type SelectStrategiesDeps, type StrategySort } from './select-strategies';

const all = [1, 2, 3].map((index) => ({ row: rowOf(index) }) as unknown as Strategy);
const snapshot = { version: 1, byStrategy: new Map() } as unknown as MarketsSnapshot;

/** Fees on profit of each strategy, as of a deployment that has activated them. */
const feesOf = (...bps: readonly number[]): CustomerFees => ({
  isUniform: false,
  of: ({ row }) => ({
    entryBps: 0,
    performanceBps: bps[all.findIndex((each) => each.row.id === row.id)] ?? 0,
    markupBps: 0,
    collector: undefined,
    marks: [],
  }),
});

function select(fees: CustomerFees, sort: StrategySort = 'NET_APY'): readonly Strategy[] {
  const strategies = { all: () => all, chains: [], states: () => [] };
  const deps = { strategies, chains, fees } as unknown as SelectStrategiesDeps;
  return selectStrategies(deps, { filter: {}, sort }, snapshot);
}

describe('the order by yields after fees', () => {
  it('is made once for all requests whose strategies cost the same share of the profit', () => {
    expect(select(feesOf(500, 500, 500))).toBe(select(feesOf(500, 500, 500)));
    expect(select(feesOf(0, 0, 0))).not.toBe(select(feesOf(500, 500, 500)));
    expect(select(feesOf(0, 0, 0), 'TVL_USD')).toBe(select(feesOf(500, 0, 0), 'TVL_USD'));
  });

  it('is made for each request where the shares differ', () => {
    expect(select(feesOf(500, 0, 500))).not.toBe(select(feesOf(500, 0, 500)));
  });
});
