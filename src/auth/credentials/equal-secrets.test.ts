import { areEqualSecrets } from './equal-secrets';

test('equal secrets are recognized, and no others, whatever their lengths', () => {
  expect(areEqualSecrets('secret', 'secret')).toBe(true);
  expect(areEqualSecrets('João 🎉', 'João 🎉')).toBe(true);
  for (const other of ['', 'secreT', 'secre', 'secret ', 'other!']) {
    expect(areEqualSecrets(other, 'secret')).toBe(false);
    expect(areEqualSecrets('secret', other)).toBe(false);
  }
});
