import fc from 'fast-check';
import { newBrCode } from '../../../test/ramps/new-br-code';
import { serviceError } from '../../errors/service-error';
import type { UncheckedPixKey } from '../../ramps/unchecked-pix-key';
import { checkPixKey, readPixKey } from './pix-key-check';

const KEYS = [
  ['JOAO.Souza@Example.com', 'joao.souza@example.com'],
  ['529.982.247-25', '52998224725'],
  ['11.222.333/0001-81', '11222333000181'],
  ['12.abc.345/01de-35', '12ABC34501DE35'],
  ['+55 (11) 98765-4321', '+5511987654321'],
  ['123E4567-E12B-12D1-A456-426655440000', '123e4567-e12b-12d1-a456-426655440000'],
] as const;
const spaces = fc.stringMatching(/^ {0,3}$/);
const refusal = (text: string): unknown => {
  try {
    return readPixKey(text);
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

describe('the payee of a Pix payout', () => {
  it.each(KEYS)('%s is normalized to the directory key %s, ignoring surrounding spaces', (given, key) => {
    fc.assert(fc.property(spaces, spaces, (before, after) => expect(readPixKey(before + given + after)).toBe(key)));
  });

  it.each(KEYS)('a BR Code with the key %s is kept unchanged, trimmed', (_, pixKey) => {
    const code = newBrCode({ pixKey, cents: 1234n });
    fc.assert(fc.property(spaces, spaces, (before, after) => expect(readPixKey(before + code + after)).toBe(code)));
  });

  it.each(KEYS)('a BR Code with the key %s is looked up as %s', async (pixKey, key) => {
    const calls: string[] = [];
    const ramp = { id: 'primary', lookUpPixKey: (each: string) => Promise.resolve(void calls.push(each)) } as const;
    for (const given of [pixKey, newBrCode({ pixKey })]) {
      await checkPixKey({ ramp, pixKey: readPixKey(given), executable: true }, AbortSignal.timeout(1000));
    }
    expect(calls).toEqual([key, key]);
  });

  it.each([
    ['price', undefined, 'unavailable'],
    ['price', 503, 'serverError'],
    ['execution', 503, 'serverError'],
  ] as const)('a failed lookup that a %s does without is reported (HTTP %s)', async (step, upstreamStatus, failure) => {
    const unchecked: UncheckedPixKey[] = [];
    const error = serviceError('PIX_KEY_LOOKUP_FAILED', {}, { details: { upstreamStatus } });
    const ramp = { id: 'primary', lookUpPixKey: () => Promise.reject(error) } as const;
    const onUncheckedPixKey = (key: UncheckedPixKey) => void unchecked.push(key);
    const check = { ramp, pixKey: 'ana@example.com', executable: step === 'execution', onUncheckedPixKey };
    await checkPixKey(check, AbortSignal.timeout(1000));
    expect(unchecked).toEqual([{ ramp: 'primary', step, failure }]);
  });

  it.each([
    [true, serviceError('PIX_KEY_LOOKUP_FAILED')],
    [true, serviceError('INVALID_PIX_KEY')],
    [false, serviceError('INVALID_PIX_KEY')],
  ])('a refused key is not reported as one without a lookup (executable: %s)', async (executable, error) => {
    const ramp = { id: 'primary', lookUpPixKey: () => Promise.reject(error) } as const;
    const onUncheckedPixKey = jest.fn();
    const check = { ramp, pixKey: 'ana@example.com', executable, onUncheckedPixKey };
    await expect(checkPixKey(check, AbortSignal.timeout(1000))).rejects.toBe(error);
    expect(onUncheckedPixKey).not.toHaveBeenCalled();
  });

  it('a dynamic BR Code has no key to look up', () => {
    const code = newBrCode({ pixKey: '', url: 'pix.example.com/qr/1' });
    expect(readPixKey(code)).toBe(code);
  });

  it.each(['no-key', '529.982.247-26', '+14155550100', 'a@b'])('%s is not a key, nor inside a BR Code', (pixKey) => {
    expect(refusal(pixKey)).toBe('INVALID_PIX_KEY');
    expect(refusal(newBrCode({ pixKey }))).toBe('INVALID_PIX_KEY');
  });

  it('a BR Code with a wrong checksum is malformed, whatever its key', () => {
    const code = newBrCode({ pixKey: 'no-key' });
    expect(refusal(`${code.slice(0, -4)}0000`)).toBe('INVALID_PIX_BRCODE_FORMAT');
  });

  it('any other text is rejected with one of the two codes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string().map((text) => `000201${text}`),
        ),
        (text) => {
          const code = refusal(text);
          const isKey = typeof code === 'string' && /^[a-z0-9+]/.test(code);
          expect(isKey || code === 'INVALID_PIX_KEY' || code === 'INVALID_PIX_BRCODE_FORMAT').toBe(true);
        },
      ),
    );
  });
});
