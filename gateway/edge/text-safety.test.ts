import { problemOfJson } from './text-safety';

const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

it.each([
  ['a number outside the range of a double', { a: [JSON.parse('-1e999')] }, 'outside the range of a double'],
  ['33 levels', nested(33), '32 levels'],
  ['a NUL in a key', { 'a\0': 1 }, 'NUL'],
  ['half of a character', ['\ud800'], 'Unicode'],
])('JSON with %s can be neither stored nor hashed', (_, value, problem) => {
  expect(problemOfJson(value)).toContain(problem);
});

it('any other JSON can', () => {
  for (const value of [null, true, -1.5e308, 'é😀', nested(32), { a: [{}] }]) {
    expect(problemOfJson(value)).toBeUndefined();
  }
});
