import { hashSecret, matchesSecretHash } from './secret-hash';

const pepper = 'ab'.repeat(32);

test('recognizes a secret by its hash', () => {
  expect(matchesSecretHash(hashSecret(pepper, 'secret'), hashSecret(pepper, 'secret'))).toBe(true);
  expect(matchesSecretHash(hashSecret(pepper, 'secret'), hashSecret(pepper, 'other'))).toBe(false);
});

test('another pepper gives another hash', () => {
  expect(matchesSecretHash(hashSecret('cd'.repeat(32), 'secret'), hashSecret(pepper, 'secret'))).toBe(false);
});

test('no candidate matches a key that does not exist, not even the placeholder hash', () => {
  expect(matchesSecretHash(undefined, hashSecret(pepper, 'secret'))).toBe(false);
  expect(matchesSecretHash(undefined, Buffer.alloc(32))).toBe(false);
  expect(matchesSecretHash(Buffer.alloc(5), Buffer.alloc(32))).toBe(false);
});
