/** A change to the amounts of a response: the first is missing, or all are invalid. */
export type Corruption = 'missing' | 'NaN' | 'negative';

/** Whether a scalar of a response is an amount. `path` ends with the name of the scalar. */
export type AmountTest = (path: readonly string[], value: string | number) => boolean;

const NUMERIC = /^(?:0x[0-9a-f]*|[0-9]+(?:\.[0-9]+)?)$/i;

/** Recognizes amounts by their name: `buyAmount`, `amount_out`, `result` of JSON-RPC. */
export const isAmountByName: AmountTest = (path, value) =>
  /amount|^result$/i.test(path.at(-1) ?? '') && NUMERIC.test(String(value));

/** Returns the JSON response with changed amounts, `undefined` when it has no amounts. */
export function corruptAmounts(body: Buffer, corruption: Corruption, isAmount: AmountTest): Buffer | undefined {
  const response = parsed(body);
  let count = 0;
  const visit = (value: unknown, path: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => visit(item, [...path, String(index)]));
    if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).map(([name, inner]) => [name, visit(inner, [...path, name])] as const);
      return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
    }
    if ((typeof value !== 'string' && typeof value !== 'number') || !isAmount(path, value)) return value;
    count += 1;
    if (corruption === 'missing') return count === 1 ? undefined : value;
    return corruption === 'NaN' ? 'NaN' : negative(value);
  };
  const changed = visit(response, []);
  return count === 0 ? undefined : Buffer.from(JSON.stringify(changed));
}

/** Keeps the type of the value, so that only the sign is wrong. */
const negative = (value: string | number): string | number =>
  typeof value === 'number' ? -Math.max(value, 1) : `-${/^0*$/.test(value) ? '1' : value}`;

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
