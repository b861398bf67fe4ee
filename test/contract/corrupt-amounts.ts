/** What becomes of the amounts in an answer: the first is gone, or all are no amounts any more. */
export type Corruption = 'missing' | 'NaN' | 'negative';

/** Whether a scalar in an answer is an amount; `path` leads to it, its own name last. */
export type AmountTest = (path: readonly string[], value: string | number) => boolean;

const NUMERIC = /^(?:0x[0-9a-f]*|[0-9]+(?:\.[0-9]+)?)$/i;

/** Amounts by their name: `buyAmount`, `amount_out`, `result` of JSON-RPC. */
export const isAmountByName: AmountTest = (path, value) =>
  /amount|^result$/i.test(path.at(-1) ?? '') && NUMERIC.test(String(value));

/** A JSON answer with its amounts spoilt; `undefined` when it has none. */
export function corruptAmounts(body: Buffer, spoiling: Corruption, isAmount: AmountTest): Buffer | undefined {
  const answer = parsed(body);
  let met = 0;
  const visit = (value: unknown, path: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => visit(item, [...path, String(index)]));
    if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).map(([name, inner]) => [name, visit(inner, [...path, name])] as const);
      return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
    }
    if ((typeof value !== 'string' && typeof value !== 'number') || !isAmount(path, value)) return value;
    met += 1;
    if (spoiling === 'missing') return met === 1 ? undefined : value;
    return spoiling === 'NaN' ? 'NaN' : negative(value);
  };
  const changed = visit(answer, []);
  return met === 0 ? undefined : Buffer.from(JSON.stringify(changed));
}

/** Of the same type as before, so that the sign is all that is wrong with it. */
const negative = (value: string | number): string | number =>
  typeof value === 'number' ? -Math.max(value, 1) : `-${/^0*$/.test(value) ? '1' : value}`;

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
