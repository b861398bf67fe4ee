/** The smallest of the values. Keeps their type, such as `BaseUnits`. */
export const minBigInt = <Value extends bigint>(first: Value, ...others: readonly Value[]): Value =>
  others.reduce((least, value) => (value < least ? value : least), first);

/** The largest of the values. Keeps their type, such as `BaseUnits`. */
export const maxBigInt = <Value extends bigint>(first: Value, ...others: readonly Value[]): Value =>
  others.reduce((most, value) => (value > most ? value : most), first);
