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
