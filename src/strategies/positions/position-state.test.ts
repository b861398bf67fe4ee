import fc from 'fast-check';
import '../../../test/setup/seeded-properties';
import {
  applyExactly,
  EMPTY,
  floor,
  HISTORIES,
  histories,
  RAY,
  rational,
  times,
} from '../../../test/strategies/random-histories';
import {
  applyMovement,
  avgPurchasePriceOf,
  cumulativeProfitOf,
  foldPosition,
  NO_POSITION,
  principalOf,
  profitOf,
  realizedProfitOf,
} from './position-state';

const COST_UNIT = 10n ** 18n;

describe('the accounting of a position', () => {
  it('agrees with exact fractions to the unit in principal, profit, cost basis and average price', () => {
    fc.assert(
      fc.property(histories, ({ movements, price }) => {
        const state = foldPosition(movements);
        const exact = movements.reduce(applyExactly, EMPTY);
        const value = (state.shares * price) / RAY;
        expect(state.shares).toBe(exact.shares);
        expect(principalOf(state)).toBe(floor(exact.cost));
        expect(profitOf(state, value)).toBe(value - floor(exact.cost));
        expect(cumulativeProfitOf(state, value)).toBe(value - exact.netPaidIn);
        const exactPrice = exact.shares === 0n ? 0n : floor(times(exact.cost, rational(10n ** 18n, exact.shares)));
        const difference = avgPurchasePriceOf(state, 18) - exactPrice;
        expect(difference === 0n || difference === 1n || difference === -1n || exact.shares < 10n ** 8n).toBe(true);
      }),
      { numRuns: HISTORIES },
    );
  });

  it('always has value − net deposits = (value − cost) + realized profit', () => {
    fc.assert(
      fc.property(histories, fc.bigInt(0n, 10n ** 18n), ({ movements }, value) => {
        let state = NO_POSITION;
        for (const movement of movements) {
          state = applyMovement(state, movement);
          // In the units of the cost the identity is exact: nothing is rounded between its sides.
          expect((value - state.netPaidIn) * COST_UNIT).toBe(value * COST_UNIT - state.cost + state.realized);
          expect(cumulativeProfitOf(state, value)).toBe(profitOf(state, value) + realizedProfitOf(state));
        }
      }),
      { numRuns: HISTORIES },
    );
  });

  it('keeps the sum of the cumulative profits of sender and recipient of a transfer within one unit', () => {
    fc.assert(
      fc.property(histories, histories, fc.bigInt(1n, 1_000_000n), (sender, recipient, part) => {
        const [from, to] = [foldPosition(sender.movements), foldPosition(recipient.movements)];
        const { price } = sender;
        const shares = (from.shares * part) / 1_000_000n;
        const assets = (shares * price) / RAY;
        const valueOf = (held: bigint): bigint => (held * price) / RAY;
        const before = cumulativeProfitOf(from, valueOf(from.shares)) + cumulativeProfitOf(to, valueOf(to.shares));
        const sent = applyMovement(from, { kind: 'transferOut', shares, assets });
        const received = applyMovement(to, { kind: 'transferIn', shares, assets });
        const after =
          cumulativeProfitOf(sent, valueOf(sent.shares)) + cumulativeProfitOf(received, valueOf(received.shares));
        // Each value is rounded down by itself, before and after.
        expect(after - before >= -1n && after - before <= 1n).toBe(true);
      }),
      { numRuns: HISTORIES },
    );
  });

  it('starts a new cost basis after a full exit, and goes on with the realized profit', () => {
    const state = foldPosition([
      { kind: 'deposit', shares: 100n, assets: 1000n },
      { kind: 'withdrawal', shares: 100n, assets: 1300n },
      { kind: 'deposit', shares: 50n, assets: 700n },
    ]);
    expect(principalOf(state)).toBe(700n);
    expect(realizedProfitOf(state)).toBe(300n);
    expect(profitOf(state, 710n)).toBe(10n);
    expect(cumulativeProfitOf(state, 710n)).toBe(310n);
  });

  it('never has negative shares or cost when a protocol rounds a withdrawal up', () => {
    const state = foldPosition([
      { kind: 'deposit', shares: 100n, assets: 1000n },
      { kind: 'withdrawal', shares: 101n, assets: 1001n },
    ]);
    expect(state).toMatchObject({ shares: 0n, cost: 0n, netPaidIn: -1n });
  });
});
