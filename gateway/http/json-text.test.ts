import fc from 'fast-check';
import { exceededLimit } from './json-text.cjs';

const UNLIMITED = { depth: Infinity, values: Infinity };

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

/** Values of arrays and objects, without the first of each. */
const commasOf = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  const values: unknown[] = Object.values(value);
  return Math.max(0, values.length - 1) + values.reduce<number>((sum, each) => sum + commasOf(each), 0);
};

test('depth and number of values are those of the parsed value, whatever its texts contain', () => {
  const { value } = fc.letrec((tie) => ({
    text: fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', ']', '}', 'a', '\n') }),
    value: fc.oneof(
      { maxDepth: 6 },
      tie('text'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(tie('text') as fc.Arbitrary<string>, tie('value'), { maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(value, fc.integer({ min: 0, max: 8 }), (given, maximum) => {
      const json = Buffer.from(JSON.stringify(given));
      expect(exceededLimit(json, { ...UNLIMITED, depth: maximum })).toBe(
        depthOf(given) > maximum ? 'depth' : undefined,
      );
      expect(exceededLimit(json, { ...UNLIMITED, values: maximum })).toBe(
        commasOf(given) > maximum ? 'values' : undefined,
      );
    }),
  );
});

test.each(['"', '"\\', '[[[["', '[[[[', '"\\"[[[['])('text that is no JSON is read to its end: %s', (text) => {
  expect(exceededLimit(Buffer.from(text), { ...UNLIMITED, depth: 3 })).toBe(
    text.startsWith('[[[[') ? 'depth' : undefined,
  );
});
