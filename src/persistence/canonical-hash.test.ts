import fc from 'fast-check';
import { canonicalHash } from './canonical-hash';

const json = fc.jsonValue({ maxDepth: 5 });
const hex = (value: unknown) => canonicalHash(value)?.toString('hex');

/** The same value with the keys of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, member]) => [key, reversed(member)]));
}

describe('the hash of a JSON value', () => {
  it('does not depend on the order of keys or on serialization', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(hex(reversed(value))).toBe(hex(value));
        expect(hex(JSON.parse(JSON.stringify(value)))).toBe(hex(value));
      }),
    );
  });

  it('changes with every leaf', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        fc.pre(JSON.stringify(reversed(a)) !== JSON.stringify(reversed(b)) && hex(a) !== undefined);
        expect(hex({ route: [a] }) === hex({ route: [b] })).toBe(hex(a) === hex(b));
      }),
    );
    expect(hex({ a: '1' })).not.toBe(hex({ a: 1 }));
    expect(hex([1, 2])).not.toBe(hex([2, 1]));
    expect(hex(['1,2'])).not.toBe(hex(['1', '2']));
  });

  it('does not exist for a value that is nested too deeply', () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 100_000; depth++) value = [value];
    expect(canonicalHash(value)).toBeUndefined();
  });
});
