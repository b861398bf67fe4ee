/** Values that JSON lacks are stored as an object with one of these keys. No property of a section has such a name. */
const [BIGINT_KEY, DATE_KEY] = ['$bigint', '$date'];

/** Text of plain data with bigints and times. Properties without a value are left out. */
export function encodeSnapshot(value: object): string {
  return JSON.stringify(value, function replace(this: Readonly<Record<string, unknown>>, key, converted: unknown) {
    const given = this[key]; // a Date has been converted to a text already
    if (typeof given === 'bigint') return { [BIGINT_KEY]: given.toString() };
    return given instanceof Date ? { [DATE_KEY]: given.getTime() } : converted;
  });
}

/** The data of a text of `encodeSnapshot`. */
export const decodeSnapshot = (text: string): unknown => JSON.parse(text, (_, value: unknown) => revive(value));

function revive(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (BIGINT_KEY in value && typeof value[BIGINT_KEY] === 'string') return BigInt(value[BIGINT_KEY]);
  if (DATE_KEY in value && typeof value[DATE_KEY] === 'number') return new Date(value[DATE_KEY]);
  return value;
}
