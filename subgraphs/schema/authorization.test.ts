import type { CustomerId, Principal } from '../../src/auth/principal';
import { requirePrincipal } from './authorization';

const KEY: Principal = { kind: 'apiKey', customerId: 'c' as CustomerId, keyId: 'key' };

describe('a request without the credential that an operation accepts', () => {
  it.each([
    { text: 'requires a Bearer access token', accepted: ['write'], principal: undefined },
    { text: 'requires a Bearer access token', accepted: ['write'], principal: KEY },
    { text: 'API key in the x-api-key header', accepted: ['apiKey', 'read'], principal: undefined },
  ] as const)('is refused with the credential to send: $text', ({ text, accepted, principal }) => {
    const failure = { code: 'AUTHENTICATION_REQUIRED', message: expect.stringContaining(text) };
    expect(() => requirePrincipal({ principal }, accepted)).toThrow(expect.objectContaining(failure));
  });
});
