import fc from 'fast-check';
import { parseCpf, parsePixKey } from './pix-key';

const digitOf = (values: readonly number[], weights: readonly number[]): number => {
  const rest = values.reduce((sum, value, index) => sum + value * weights[index]!, 0) % 11;
  return rest < 2 ? 0 : 11 - rest;
};
const cpfOf = (nine: readonly number[]): string => {
  const first = digitOf(nine, [10, 9, 8, 7, 6, 5, 4, 3, 2]);
  const second = digitOf([...nine, first], [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
  return [...nine, first, second].join('');
};
const cnpjOf = (twelve: string): string => {
  const values = Array.from(twelve, (character) => character.charCodeAt(0) - 48);
  const first = digitOf(values, [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]);
  const second = digitOf([...values, first], [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]);
  return `${twelve}${String(first)}${String(second)}`;
};
const nineDigits = fc
  .array(fc.integer({ min: 0, max: 9 }), { minLength: 9, maxLength: 9 })
  .filter((digits) => new Set(digits).size > 1);
const twelve = (characters: string) =>
  fc
    .array(fc.constantFrom(...Array.from(characters)), { minLength: 12, maxLength: 12 })
    .map((parts) => parts.join(''))
    .filter((text) => new Set(text).size > 1);

describe('a Pix key', () => {
  it.each([
    ['123.456.789-09', 'CPF', '12345678909'],
    ['  12345678909 ', 'CPF', '12345678909'],
    ['11.222.333/0001-81', 'CNPJ', '11222333000181'],
    ['12.ABC.345/01DE-35', 'CNPJ', '12ABC34501DE35'],
    ['Ana.Lima@Example.COM', 'EMAIL', 'ana.lima@example.com'],
    ['+55 (11) 99999-8888', 'PHONE', '+5511999998888'],
    ['123E4567-E12B-12D1-A456-426655440000', 'EVP', '123e4567-e12b-12d1-a456-426655440000'],
  ])('%s is read as a %s', (text, kind, key) => {
    expect(parsePixKey(text)).toEqual({ kind, key });
  });

  it.each(
    [
      ['', '12345678900', '11111111111', '1234567890', '123456789012', '11222333000182', '12ABC34501DE36'],
      ['@', 'a@b', 'a b@c.de', `${'a'.repeat(75)}@b.co`, '+1 212 555 0100', '+5511', '5511999998888'],
      ['123e4567e12b12d1a456426655440000', 'x'.repeat(10_000), '١٢٣٤٥٦٧٨٩٠٩', '+55119999988889'],
    ].flat(),
  )('%s is not a Pix key', (text) => {
    expect(parsePixKey(text)).toBeUndefined();
  });

  it('reads every CPF with valid check digits, and none with another check digit', () => {
    fc.assert(
      fc.property(nineDigits, fc.integer({ min: 9, max: 10 }), fc.integer({ min: 1, max: 9 }), (nine, at, more) => {
        const text = cpfOf(nine);
        expect(parseCpf(text)).toBe(text);
        const changed = Array.from(text, (digit, index) =>
          index === at ? String((Number(digit) + more) % 10) : digit,
        );
        expect(parseCpf(changed.join(''))).toBeUndefined();
      }),
    );
  });

  it('reads every numeric and alphanumeric CNPJ with valid check digits', () => {
    const any = fc.oneof(twelve('0123456789'), twelve('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'));
    fc.assert(
      fc.property(any, (text) => {
        const key = cnpjOf(text);
        expect(parsePixKey(key)).toEqual({ kind: 'CNPJ', key });
        expect(parsePixKey(`${key.slice(0, 13)}${String((Number(key.at(-1)) + 1) % 10)}`)).toBeUndefined();
      }),
    );
  });
});
