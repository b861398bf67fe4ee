import fc from 'fast-check';
import { apiKeyPrefix, formatApiKey, generateApiKey, parseApiKey } from './api-key';

const ALPHABET = Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
const text = (length: number) =>
  fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: length, maxLength: length });
const anyKey = fc.record({ id: text(16), secret: text(43) });
const position = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test('parses the keys that it formats', () => {
  fc.assert(fc.property(anyKey, (key) => expect(parseApiKey(formatApiKey(key))).toEqual(key)));
});

test('has the format sk_live_<id>_<secret><checksum>', () => {
  const key = generateApiKey();
  const formatted = formatApiKey(key);
  expect(formatted).toMatch(/^sk_live_[0-9A-Za-z]{16}_[0-9A-Za-z]{49}$/);
  expect(formatted.startsWith(`${apiKeyPrefix(key.id)}_${key.secret}`)).toBe(true);
});

test('never generates the same key twice', () => {
  const keys = Array.from({ length: 1000 }, () => formatApiKey(generateApiKey()));
  expect(new Set(keys).size).toBe(keys.length);
});

test('rejects every key with one replaced character', () => {
  const replacement = fc.oneof(fc.constantFrom(...ALPHABET, '_'), fc.string({ minLength: 1, maxLength: 1 }));
  fc.assert(
    fc.property(anyKey, position, replacement, (key, where, character) => {
      const formatted = formatApiKey(key);
      const at = Math.floor(where * formatted.length);
      fc.pre(formatted[at] !== character);
      expect(parseApiKey(formatted.slice(0, at) + character + formatted.slice(at + 1))).toBeUndefined();
    }),
    { numRuns: 2000 },
  );
});

test('rejects a key with any character replaced at any position', () => {
  const formatted = formatApiKey(generateApiKey());
  for (let at = 0; at < formatted.length; at += 1) {
    for (const character of ALPHABET) {
      const changed = formatted.slice(0, at) + character + formatted.slice(at + 1);
      if (changed !== formatted) expect(parseApiKey(changed)).toBeUndefined();
    }
  }
});

test('rejects every key with a missing, doubled or swapped character', () => {
  fc.assert(
    fc.property(anyKey, position, (key, where) => {
      const formatted = formatApiKey(key);
      const at = Math.floor(where * (formatted.length - 1));
      const [head, here, next, tail] = [
        formatted.slice(0, at),
        formatted.charAt(at),
        formatted.charAt(at + 1),
        formatted.slice(at + 2),
      ];
      expect(parseApiKey(head + next + tail)).toBeUndefined();
      expect(parseApiKey(head + here + here + next + tail)).toBeUndefined();
      if (here !== next) expect(parseApiKey(head + next + here + tail)).toBeUndefined();
    }),
  );
});

test.each([
  ['nothing', ''],
  ['a space around it', ` ${formatApiKey(generateApiKey())}`],
  ['a line break behind it', `${formatApiKey(generateApiKey())}\n`],
  ['a Bearer prefix', `Bearer ${formatApiKey(generateApiKey())}`],
  ['another prefix', formatApiKey(generateApiKey()).replace('live', 'test')],
  ['a lower-cased key', formatApiKey({ id: 'A'.repeat(16), secret: 'B'.repeat(43) }).toLowerCase()],
  ['a megabyte', 'a'.repeat(1_000_000)],
])('refuses %s', (_, sent) => {
  expect(parseApiKey(sent)).toBeUndefined();
});
