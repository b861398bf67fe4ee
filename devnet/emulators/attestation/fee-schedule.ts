/** Fees of one route in basis points, possibly fractional. */
export interface RouteFees {
  readonly fast: number;
  readonly standard: number;
}

/** What the attesters charge, by route. */
export interface FeeSchedule {
  of(source: number, destination: number): RouteFees;
  /** Changes the fees of a route, or of all when it names none. */
  change(change: Partial<RouteFees>, route?: { readonly source: number; readonly destination: number }): void;
  reset(): void;
}

const USUAL: RouteFees = { fast: 1, standard: 0 };

export function createFeeSchedule(): FeeSchedule {
  let general = USUAL;
  const special = new Map<string, RouteFees>();
  const keyOf = (source: number, destination: number) => `${String(source)} ${String(destination)}`;
  const of = (source: number, destination: number) => special.get(keyOf(source, destination)) ?? general;
  return {
    of,
    change(change, route) {
      if (route === undefined) general = { ...general, ...change };
      else special.set(keyOf(route.source, route.destination), { ...of(route.source, route.destination), ...change });
    },
    reset() {
      general = USUAL;
      special.clear();
    },
  };
}

const PRECISION = 1_000_000_000;

/** Fee on an amount of base units, rounded up. */
export function feeOn(amount: bigint, basisPoints: number): bigint {
  const whole = BigInt(PRECISION) * 10_000n;
  return (amount * BigInt(Math.round(basisPoints * PRECISION)) + whole - 1n) / whole;
}
