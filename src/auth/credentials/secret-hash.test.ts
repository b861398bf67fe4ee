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

test('the hash is the HMAC-SHA-256 with the bytes of the hexadecimal pepper, which stored keys depend on', () => {
  expect(hashSecret(pepper, 'secret').toString('hex')).toBe(
    'd15a946da29e63d78311189294dd3417b7e001dc74b64b049d19b26b3e9e4a78',
  );
});
