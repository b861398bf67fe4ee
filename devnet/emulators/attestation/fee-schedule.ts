/** Fees of one route in basis points, possibly fractional. */
export interface RouteFees {
  readonly fast: number;
  readonly standard: number;
}

/** What the attesters charge, by route. */
export interface FeeSchedule {
  of(source: number, destination: number): RouteFees;
  /** Changes the fees of a route, or of all when it names none. */
  change(
    change: { readonly [Speed in keyof RouteFees]?: number | undefined },
    route?: { readonly source: number; readonly destination: number },
  ): void;
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
      const current = route === undefined ? general : of(route.source, route.destination);
      const changed = { fast: change.fast ?? current.fast, standard: change.standard ?? current.standard };
      if (route === undefined) general = changed;
      else special.set(keyOf(route.source, route.destination), changed);
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
