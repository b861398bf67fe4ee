import fc from 'fast-check';
import '../../../test/setup/seeded-properties';
import type { PositionChangeKind } from '../protocols/protocol';
import {
  applyMovement,
  avgPurchasePriceOf,
  cumulativeProfitOf,
  feeOnWithdrawal,
  foldPosition,
  isInflow,
  NO_POSITION,
  type PositionMovement,
  principalOf,
  profitOf,
  realizedProfitOf,
} from './position-state';

const COST_UNIT = 10n ** 18n;
const RAY = 10n ** 27n;
const HISTORIES = 1000;

/** An exact fraction in lowest terms. */
interface Rational {
  readonly n: bigint;
  readonly d: bigint;
}

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b));
const rational = (n: bigint, d = 1n): Rational => {
  const divisor = gcd(n < 0n ? -n : n, d) || 1n;
  return { n: n / divisor, d: d / divisor };
};
const plus = (a: Rational, b: Rational): Rational => rational(a.n * b.d + b.n * a.d, a.d * b.d);
const minus = (a: Rational, b: Rational): Rational => plus(a, { n: -b.n, d: b.d });
const times = (a: Rational, b: Rational): Rational => rational(a.n * b.n, a.d * b.d);
/** Towards negative infinity. */
const floor = ({ n, d }: Rational): bigint => (n < 0n && n % d !== 0n ? n / d - 1n : n / d);

interface ExactState {
  readonly shares: bigint;
  readonly cost: Rational;
  readonly netPaidIn: bigint;
  readonly realized: Rational;
}

const EMPTY: ExactState = { shares: 0n, cost: rational(0n), netPaidIn: 0n, realized: rational(0n) };

/** Average cost in exact fractions. */
function applyExactly(state: ExactState, { kind, shares, assets }: PositionMovement): ExactState {
  if (isInflow(kind)) {
    const cost = plus(state.cost, rational(assets));
    return { ...state, shares: state.shares + shares, cost, netPaidIn: state.netPaidIn + assets };
  }
  const cost = times(state.cost, rational(shares, state.shares));
  return {
    shares: state.shares - shares,
    cost: minus(state.cost, cost),
    netPaidIn: state.netPaidIn - assets,
    realized: plus(state.realized, minus(rational(assets), cost)),
  };
}

interface Step {
  readonly kind: PositionChangeKind;
  readonly amount: bigint;
  /** Part of the shares that an outflow takes, in millionths. */
  readonly part: bigint;
  /** Growth of the price before the step, in millionths; negative for a loss. */
  readonly growth: bigint;
}

const stepArbitrary: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom<PositionChangeKind>('deposit', 'deposit', 'withdrawal', 'transferIn', 'transferOut'),
  amount: fc.bigInt(1n, 10n ** 15n),
  part: fc.oneof(fc.bigInt(1n, 1_000_000n), fc.constant(1_000_000n)),
  growth: fc.bigInt(-20_000n, 50_000n),
});

/** Movements that are possible one after the other, with the price at the end. */
function play(steps: readonly Step[]): { readonly movements: readonly PositionMovement[]; readonly price: bigint } {
  let price = RAY + 123_456_789n;
  let shares = 0n;
  const movements: PositionMovement[] = [];
  for (const { kind, amount, part, growth } of steps) {
    price += (price * growth) / 1_000_000n;
    const moved = isInflow(kind) ? (amount * RAY) / price : (shares * part) / 1_000_000n;
    if (moved === 0n) continue;
    const assets = kind === 'deposit' ? amount : (moved * price) / RAY;
    movements.push({ kind, shares: moved, assets });
    shares += isInflow(kind) ? moved : -moved;
  }
  return { movements, price };
}

const histories = fc.array(stepArbitrary, { minLength: 1, maxLength: 60 }).map(play);

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

describe('the fee on a withdrawal', () => {
  const state = foldPosition([{ kind: 'deposit', shares: 1000n, assets: 10_000n }]);

  it('is a part of the gain of the withdrawn shares, rounded down', () => {
    const position = { state, value: 12_345n };
    expect(feeOnWithdrawal({ position, shares: 1000n, bps: 500 })).toBe(117n); // 2,345 × 5 % = 117.25
    expect(feeOnWithdrawal({ position, shares: 100n, bps: 500 })).toBe(11n); // 1,234 − 1,000 = 234; × 5 % = 11.7
    expect(feeOnWithdrawal({ position, assets: 12_345n, bps: 500 })).toBe(117n);
    expect(feeOnWithdrawal({ position, assets: 12_345n, shares: 1000n, bps: 10_000 })).toBe(2345n);
  });

  it('never touches principal: a loss and an unchanged value are free', () => {
    expect(feeOnWithdrawal({ position: { state, value: 9999n }, shares: 1000n, bps: 10_000 })).toBe(0n);
    expect(feeOnWithdrawal({ position: { state, value: 10_000n }, shares: 1000n, bps: 10_000 })).toBe(0n);
    expect(feeOnWithdrawal({ position: { state, value: 0n }, assets: 5n, bps: 10_000 })).toBe(0n);
  });

  it('is never more than its part of the exact gain, and less than one unit below it', () => {
    fc.assert(
      fc.property(histories, fc.bigInt(1n, 1_000_000n), fc.bigInt(0n, 10_000n), ({ movements, price }, part, bps) => {
        const held = foldPosition(movements);
        const exact = movements.reduce(applyExactly, EMPTY);
        const shares = (held.shares * part) / 1_000_000n;
        if (shares === 0n) return;
        const assets = (shares * price) / RAY;
        const gain = minus(rational(assets), times(exact.cost, rational(shares, exact.shares)));
        const expected = gain.n <= 0n ? 0n : floor(times(gain, rational(bps, 10_000n)));
        const position = { state: held, value: (held.shares * price) / RAY };
        expect(feeOnWithdrawal({ position, assets, shares, bps })).toBe(expected);
      }),
      { numRuns: HISTORIES },
    );
  });
});
