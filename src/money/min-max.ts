/** The smallest of the values. Keeps their type, such as `BaseUnits`. */
export const minBigInt = <Value extends bigint>(first: Value, ...others: readonly Value[]): Value =>
  others.reduce((minimum, value) => (value < minimum ? value : minimum), first);

/** The largest of the values. Keeps their type, such as `BaseUnits`. */
export const maxBigInt = <Value extends bigint>(first: Value, ...others: readonly Value[]): Value =>
  others.reduce((maximum, value) => (value > maximum ? value : maximum), first);
