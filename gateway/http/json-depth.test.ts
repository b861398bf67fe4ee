import fc from 'fast-check';
import { nestsDeeper } from './json-depth';

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

test('the depth is that of the parsed value, whatever its texts contain', () => {
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
      expect(nestsDeeper(Buffer.from(JSON.stringify(given)), maximum)).toBe(depthOf(given) > maximum);
    }),
  );
});

test.each(['"', '"\\', '[[[["', '[[[[', '"\\"[[[['])('text that is no JSON is read to its end: %s', (text) => {
  expect(nestsDeeper(Buffer.from(text), 3)).toBe(text.startsWith('[[[['));
});
