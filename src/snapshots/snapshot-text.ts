/**
 * Text of plain data with bigints and times, which JSON lacks: they are stored as an object with the key `$bigint` or `$date`.
 * Properties without a value are left out.
 */
export function encodeSnapshot(value: object): string {
  return JSON.stringify(value, function replace(this: Readonly<Record<string, unknown>>, key, converted: unknown) {
    const given = this[key]; // a Date has been converted to a text already
    if (typeof given === 'bigint') return { $bigint: given.toString() };
    return given instanceof Date ? { $date: given.getTime() } : converted;
  });
}

/** The data of a text of `encodeSnapshot`. */
export const decodeSnapshot = (text: string): unknown => JSON.parse(text, (_, value: unknown) => revive(value));

function revive(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('$bigint' in value && typeof value.$bigint === 'string') return BigInt(value.$bigint);
  if ('$date' in value && typeof value.$date === 'number') return new Date(value.$date);
  return value;
}
