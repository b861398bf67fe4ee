import { type Credentials, createAuthenticator, type RouteAuthentication } from './authenticator';

const never = () => Promise.reject(new TypeError('no credential is verified'));
const { authenticate } = createAuthenticator({ verifyApiKey: never, verifyAccessToken: never });

describe('the response to a request without the credentials of its route says what to send', () => {
  it.each([
    ['apiKey', {}, 'send your API key in the x-api-key header'],
    ['apiKeyOrBearer', {}, 'send your API key in the x-api-key header'],
    ['bearer', {}, 'send an access token as Authorization: Bearer <token>'],
    ['bearer', { apiKey: 'sk_live_x' }, 'this route does not accept API keys. Send an access token as Authorization'],
  ] as const)('%s, %p: %s', async (accepts: RouteAuthentication, sent: Partial<Credentials>, text) => {
    const credentials = { apiKey: undefined, authorization: undefined, clientAddress: '192.0.2.1', ...sent };
    const failure = await authenticate(credentials, accepts).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'AUTHENTICATION_REQUIRED', message: expect.stringContaining(text) });
  });

  it.each(['x Bearer a.b.c', 'Bearer', 'Basic a.b.c', 'a.b.c'])(
    'an Authorization of another form: %s',
    async (authorization) => {
      const credentials = { apiKey: undefined, authorization, clientAddress: '192.0.2.1' };
      const failure = await authenticate(credentials, 'bearer').catch((error: unknown) => error);
      const message = 'must be "Bearer <access token>". Send an API key in the x-api-key header';
      expect(failure).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { errors: [{ path: 'authorization', message }] },
      });
    },
  );
});
