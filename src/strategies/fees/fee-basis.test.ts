import fc from 'fast-check';
import '../../../test/setup/seeded-properties';
import {
  applyExactly,
  EMPTY,
  type ExactState,
  floor,
  HISTORIES,
  histories,
  minus,
  RAY,
  type Rational,
  rational,
  times,
} from '../../../test/strategies/random-histories';
import type { PositionEntry } from '../positions/position-entry';
import {
  applyMovement,
  cumulativeProfitOf,
  foldPosition,
  NO_POSITION,
  type PositionMovement,
  profitOf,
  profitPayment,
  realizedProfitOf,
} from '../positions/position-state';
import { sharesToCollect } from '../collection/collection-registry';
import { type ChargedProfit, feeBasis } from './fee-basis';
import { feeOnWithdrawal, profitFees } from './profit-fees';

/** Movements in one block each, from block 1 on. */
const entriesOf = (movements: readonly PositionMovement[]): readonly PositionEntry[] =>
  movements.map((movement, index) => ({
    ...movement,
    sharePriceRay: undefined,
    txHash: '0x',
    blockNumber: BigInt(index + 1),
    blockHash: '0x',
    logIndex: 0,
    at: new Date(0),
  }));

const FEES = fc.record({
  performanceBps: fc.integer({ min: 0, max: 5000 }),
  markupBps: fc.integer({ min: 0, max: 4999 }),
});

/** Movements before each mark, and the price there: fees may become higher several times. */
const MARKS = fc
  .array(fc.record({ at: fc.nat(60), markPrice: fc.bigInt(RAY / 2n, 3n * RAY) }), { minLength: 1, maxLength: 4 })
  .map((marks) => marks.sort((one, other) => one.at - other.at));

const isMore = (one: Rational, other: Rational): boolean => minus(one, other).n > 0n;

/** The exact cost from which profit is charged: at least the worth of the shares at a mark. */
function markedExactly(state: ExactState, price: bigint): ExactState {
  const worth = rational((state.shares * price) / RAY);
  return state.shares > 0n && isMore(worth, state.cost) ? { ...state, cost: worth } : state;
}

const exactFee = (gain: Rational, bps: number): bigint =>
  gain.n <= 0n ? 0n : floor(times(gain, rational(BigInt(bps), 10_000n)));

describe('the fees on the profit of a position', () => {
  it('are those of exact fractions in every withdrawal of a history, and leave its identity alone', () => {
    fc.assert(
      fc.property(histories, FEES, ({ movements, price }, fees) => {
        let [state, exact, charged] = [NO_POSITION, EMPTY, 0n];
        for (const movement of movements) {
          const { kind, assets, shares } = movement;
          if (kind === 'withdrawal') {
            const value = (state.shares * price) / RAY;
            const { performance, markup } = profitFees({ position: { state, value }, assets, shares }, fees);
            const gain = minus(rational(assets), times(exact.cost, rational(shares, exact.shares)));
            expect([performance, markup]).toEqual([
              exactFee(gain, fees.performanceBps),
              exactFee(gain, fees.markupBps),
            ]);
            expect(performance + markup <= assets).toBe(true);
            charged += performance + markup;
          }
          [state, exact] = [applyMovement(state, movement), applyExactly(exact, movement)];
          const value = (state.shares * price) / RAY;
          expect(cumulativeProfitOf(state, value)).toBe(profitOf(state, value) + realizedProfitOf(state));
        }
        // Fees are part of the withdrawals: the wallet pays nothing besides.
        const withdrawn = movements.reduce((sum, { kind, assets }) => (kind === 'withdrawal' ? sum + assets : sum), 0n);
        expect(charged <= withdrawn).toBe(true);
      }),
      { numRuns: HISTORIES },
    );
  });

  it('count profit from the marks on, to the unit: earlier profit is free, an earlier loss is made up for first', () => {
    fc.assert(
      fc.property(histories, MARKS, FEES, ({ movements, price }, marks, fees) => {
        const stored = marks.map(({ at, markPrice }) => ({ blockNumber: BigInt(at), sharePriceRay: markPrice }));
        const state = feeBasis(entriesOf(movements), stored);
        let [exact, next] = [EMPTY, 0];
        for (const { at, markPrice } of marks) {
          exact = markedExactly(movements.slice(next, at).reduce(applyExactly, exact), markPrice);
          next = Math.max(next, at);
        }
        exact = movements.slice(next).reduce(applyExactly, exact);
        expect(state.shares).toBe(exact.shares);
        if (state.shares === 0n) return;
        const assets = (state.shares * price) / RAY;
        const charged = profitFees({ position: { state, value: assets }, assets, shares: state.shares }, fees);
        const gain = minus(rational(assets), exact.cost);
        expect(charged.performance).toBe(exactFee(gain, fees.performanceBps));
        expect(charged.markup).toBe(exactFee(gain, fees.markupBps));
        const unmarked = foldPosition(movements);
        const full = profitFees({ position: { state: unmarked, value: assets }, assets, shares: state.shares }, fees);
        expect(charged.performance <= full.performance).toBe(true);
      }),
      { numRuns: HISTORIES },
    );
  });

  it('are zero right after the mark, whatever was earned before', () => {
    const entries = entriesOf([{ kind: 'deposit', shares: 1000n, assets: 1000n }]);
    const mark = { blockNumber: 1n, sharePriceRay: 3n * RAY };
    const state = feeBasis(entries, [mark]);
    const all = { position: { state, value: 3000n }, assets: 3000n, shares: 1000n };
    expect(profitFees(all, { performanceBps: 1000, markupBps: 1000 })).toEqual({ performance: 0n, markup: 0n });
    const later = { position: { state, value: 3500n }, assets: 3500n, shares: 1000n };
    expect(profitFees(later, { performanceBps: 1000, markupBps: 200 })).toEqual({ performance: 50n, markup: 10n });
  });

  it('never count again what an earlier mark freed, although a later, higher fee began at a lower price', () => {
    const entries = entriesOf([{ kind: 'deposit', shares: 1000n, assets: 1000n }]);
    const first = { blockNumber: 1n, sharePriceRay: 2n * RAY };
    const second = { blockNumber: 5n, sharePriceRay: (3n * RAY) / 2n };
    const state = feeBasis(entries, [first, second]);
    const fees = { performanceBps: 2000, markupBps: 0 };
    const at = (value: bigint) =>
      profitFees({ position: { state, value }, assets: value, shares: 1000n }, fees).performance;
    expect([at(1800n), at(2000n), at(2100n)]).toEqual([0n, 0n, 20n]);
    const latestOnly = feeBasis(entries, [second]);
    expect(
      profitFees({ position: { state: latestOnly, value: 1800n }, assets: 1800n, shares: 1000n }, fees).performance,
    ).toBe(60n);
  });

  it('count from the cost of a deposit that follows the mark', () => {
    const entries = entriesOf([{ kind: 'deposit', shares: 100n, assets: 250n }]);
    expect(feeBasis(entries, [{ blockNumber: 0n, sharePriceRay: 9n * RAY }])).toEqual(
      foldPosition([{ kind: 'deposit', shares: 100n, assets: 250n }]),
    );
  });
});

describe('profit that collections have charged', () => {
  const BPS = 1500;
  /** Shares, the price at which they are bought, and for each collection how much the price grows by then and which part is taken. */
  const COLLECTIONS = fc.record({
    shares: fc.bigInt(1n, 10n ** 15n),
    price: fc.bigInt(RAY / 2n, 3n * RAY),
    steps: fc.array(fc.record({ growth: fc.bigInt(0n, 500n), part: fc.bigInt(0n, 100n) }), { maxLength: 5 }),
  });

  it('costs as much together with a withdrawal as the withdrawal alone would have cost, to a few units', () => {
    fc.assert(
      fc.property(COLLECTIONS, ({ shares: bought, price: firstPrice, steps }) => {
        const cost = (bought * firstPrice) / RAY;
        const movements: PositionMovement[] = [{ kind: 'deposit', shares: bought, assets: cost }];
        const marks: ChargedProfit[] = [];
        let [price, collected] = [firstPrice, 0n];
        const positionNow = () => {
          const state = feeBasis(entriesOf(movements), marks);
          return { state, value: (state.shares * price) / RAY };
        };
        const feeNow = () => {
          const position = positionNow();
          return feeOnWithdrawal({ position, assets: position.value, shares: position.state.shares, bps: BPS });
        };
        for (const { growth, part } of steps) {
          price += (price * growth) / 1000n;
          const { state, value } = positionNow();
          const due = sharesToCollect(bought, { shares: state.shares, value, fee: feeNow() });
          const sharesTaken = (due * part) / 100n;
          if (sharesTaken === 0n) continue;
          const assets = (sharesTaken * price) / RAY;
          movements.push({ kind: 'transferOut', shares: sharesTaken, assets });
          const payment = profitPayment({ sharesTaken, priceRay: price, bps: BPS });
          marks.push({ blockNumber: BigInt(movements.length), txHash: '0xc', ...payment });
          collected += assets;
        }
        const gain = positionNow().value + collected - cost;
        const total = gain <= 0n ? 0n : (gain * BigInt(BPS)) / 10_000n;
        const paid = collected + feeNow();
        expect(paid <= total + 1n).toBe(true);
        expect(paid >= total - BigInt(steps.length) - 2n).toBe(true);
      }),
      { numRuns: HISTORIES },
    );
  });

  it('ends with the position, also when it ends in the block of the collection: the next deposit has a cost of its own', () => {
    const deposit = { kind: 'deposit', shares: 1000n, assets: 1000n } as const;
    const taken = { kind: 'transferOut', shares: 10n, assets: 15n } as const;
    const exit = { kind: 'withdrawal', shares: 990n, assets: 1485n } as const;
    const blocks = [1n, 2n, 2n, 3n];
    const entries = entriesOf([deposit, taken, exit, deposit]).map((entry, index) => ({
      ...entry,
      blockNumber: blocks[index]!,
      txHash: `0x${String(index)}` as const,
    }));
    const payment = profitPayment({ sharesTaken: 10n, priceRay: (RAY * 3n) / 2n, bps: 300 });
    const charged = { blockNumber: 2n, txHash: '0x1', ...payment };
    expect(feeBasis(entries.slice(0, 2), [charged])).toMatchObject({ shares: 990n, cost: 1485n * 10n ** 18n });
    expect(feeBasis(entries, [charged])).toMatchObject({ shares: 1000n, cost: 1000n * 10n ** 18n });
  });
});
