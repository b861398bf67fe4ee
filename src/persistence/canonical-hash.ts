import { createHash } from 'node:crypto';

/** No valid quote is nested deeper, and deeper recursion could exhaust the stack. */
const MAX_DEPTH = 64;

/**
 * SHA-256 of a JSON value, independent of the order of its keys and of white space. `undefined` for values nested deeper than
 * 64 levels.
 */
export function canonicalHash(value: unknown): Buffer | undefined {
  const text = canonicalJson(value, MAX_DEPTH);
  return text === undefined ? undefined : createHash('sha256').update(text).digest();
}

function canonicalJson(value: unknown, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (depth === 0) return undefined;
  const isArray = Array.isArray(value);
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  if (!isArray) entries.sort(([a], [b]) => (a < b ? -1 : 1));
  const members = entries.map(([key, member]: [string, unknown]) => {
    const text = canonicalJson(member, depth - 1);
    return text === undefined || isArray ? text : `${JSON.stringify(key)}:${text}`;
  });
  if (members.includes(undefined)) return undefined;
  return isArray ? `[${members.join(',')}]` : `{${members.join(',')}}`;
}
