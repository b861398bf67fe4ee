import fc from 'fast-check';
import type { PositionChangeKind } from '../../src/strategies/protocols/protocol';
import { isInflow, type PositionMovement } from '../../src/strategies/positions/position-state';

export const RAY = 10n ** 27n;
export const HISTORIES = 1000;

/** An exact fraction in lowest terms. */
export interface Rational {
  readonly n: bigint;
  readonly d: bigint;
}

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b));
export const rational = (n: bigint, d = 1n): Rational => {
  const divisor = gcd(n < 0n ? -n : n, d) || 1n;
  return { n: n / divisor, d: d / divisor };
};
const plus = (a: Rational, b: Rational): Rational => rational(a.n * b.d + b.n * a.d, a.d * b.d);
export const minus = (a: Rational, b: Rational): Rational => plus(a, { n: -b.n, d: b.d });
export const times = (a: Rational, b: Rational): Rational => rational(a.n * b.n, a.d * b.d);
/** Towards negative infinity. */
export const floor = ({ n, d }: Rational): bigint => (n < 0n && n % d !== 0n ? n / d - 1n : n / d);

export interface ExactState {
  readonly shares: bigint;
  readonly cost: Rational;
  readonly netPaidIn: bigint;
  readonly realized: Rational;
}

export const EMPTY: ExactState = { shares: 0n, cost: rational(0n), netPaidIn: 0n, realized: rational(0n) };

/** Average cost in exact fractions. */
export function applyExactly(state: ExactState, { kind, shares, assets }: PositionMovement): ExactState {
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

interface RandomHistory {
  readonly movements: readonly PositionMovement[];
  /** Price of a share at the end, as a ray. */
  readonly price: bigint;
}

/** Movements that are possible one after the other, with the price at the end. */
function play(steps: readonly Step[]): RandomHistory {
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

export const histories = fc.array(stepArbitrary, { minLength: 1, maxLength: 60 }).map(play);
