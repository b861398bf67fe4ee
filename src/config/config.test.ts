import { loadConfig } from './config';

const required = { DATABASE_URL: 'postgresql://db.example/afluente', API_KEY_PEPPER: 'ab'.repeat(32) };

test('an identity provider is of no use without an issuer and an audience', () => {
  const provider = { ...required, JWKS_URL: 'https://id.example/jwks.json' };
  expect(() => loadConfig(provider)).toThrow(/JWT_ISSUER: is required[^]*JWT_AUDIENCE: is required/);
  expect(() => loadConfig({ ...provider, JWT_ISSUER: 'https://id.example', JWT_AUDIENCE: 'afluente' })).not.toThrow();
  expect(() => loadConfig(required)).not.toThrow();
});

test('all problems are reported at once', () => {
  const wrong = { ...required, PORT: '70000', API_KEY_PEPPER: 'short', JWKS_URL: 'https://id.example/jwks.json' };
  expect(() => loadConfig(wrong)).toThrow(/PORT[^]*API_KEY_PEPPER[^]*JWT_ISSUER/);
});

test('a renamed variable is accepted under its former name, and the current name wins', () => {
  expect(loadConfig({ ...required, COMPLETION_LEAST_USD: '7' }).COMPLETION_MIN_USD).toBe(7);
  expect(loadConfig({ ...required, COMPLETION_LEAST_USD: '7', COMPLETION_MIN_USD: '3' }).COMPLETION_MIN_USD).toBe(3);
  expect(loadConfig({ ...required, COMPLETION_LEAST_USD: '' }).COMPLETION_MIN_USD).toBe(1);
});
