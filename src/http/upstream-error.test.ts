import { describeFailure } from '../errors/describe-failure';
import { providerUnavailable, UpstreamError } from './upstream-error';

const refusal = (body: unknown) => new UpstreamError('it responded with 400', { kind: 'status', status: 400, body });

describe('the error code of a third party', () => {
  it.each([
    ['at the top level', { code: 'INVALID_PIX_KEY', message: 'Ana Lima has no such key' }],
    ['inside error', { error: { code: 'INVALID_PIX_KEY' } }],
    ['as the error itself', { error: 'INVALID_PIX_KEY' }],
    ['in the first of several errors', { errors: [{ code: 'INVALID_PIX_KEY' }, { code: 'OTHER' }] }],
  ])('is logged, %s', (_, body) => {
    const logged = describeFailure(providerUnavailable('primary', refusal(body)));
    expect(logged).toMatchObject({ name: 'PROVIDER_UNAVAILABLE', upstreamCode: 'INVALID_PIX_KEY' });
    expect(JSON.stringify(logged)).not.toContain('Ana Lima');
  });

  it.each([
    [{ code: '12345678909' }],
    [{ error: 'Ana Lima is not verified' }],
    [{ error: 'ana@example.com' }],
    [{ name: 'Ana' }],
    [{ code: 'a23e4567-e89b-12d3-a456-426614174000' }],
    [{ code: 'x0d8dA6BF26964aF9D7eEd9e03E53415D37aA96045' }],
    [{ code: 7 }],
    ['INVALID'],
    [undefined],
  ])('is absent where %j could be personal data, or is no code', (body) => {
    expect(refusal(body).upstreamCode).toBeUndefined();
    expect(describeFailure(refusal(body))).toEqual({ name: 'UpstreamError', message: 'it responded with 400' });
  });
});
