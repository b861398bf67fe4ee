import fc from 'fast-check';
import { crc16, looksLikeBrCode, parseBrCode } from './br-code';

const STATIC =
  '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D';
const DYNAMIC =
  '00020101021226770014BR.GOV.BCB.PIX2555pix.example.com/qr/93598be0-1bd0-4997-8318-81776a1d8a995204000053039865802BR5907EMPRESA6009SAO PAULO62070503***6304EEAB';

const field = (id: string, value: string): string => `${id}${String(value.length).padStart(2, '0')}${value}`;
const withCrc = (body: string): string => `${body}6304${crc16(`${body}6304`)}`;

interface Parts {
  readonly target: { readonly id: '01' | '25'; readonly value: string };
  readonly cents: bigint | undefined;
  readonly name: string;
  readonly city: string;
}

const encode = ({ target, cents, name, city }: Parts): string => {
  const amount =
    cents === undefined ? '' : field('54', `${String(cents / 100n)}.${String(cents % 100n).padStart(2, '0')}`);
  const account = field('26', field('00', 'br.gov.bcb.pix') + field(target.id, target.value));
  const rest = `${field('52', '0000')}${field('53', '986')}${amount}${field('58', 'BR')}`;
  return withCrc(
    `${field('00', '01')}${account}${rest}${field('59', name)}${field('60', city)}${field('62', field('05', '***'))}`,
  );
};

const text = (maxLength: number) =>
  fc.string({
    minLength: 1,
    maxLength,
    unit: fc.constantFrom(...Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefgh0123456789.-/')),
  });
const parts: fc.Arbitrary<Parts> = fc.record({
  target: fc.record({ id: fc.constantFrom('01' as const, '25' as const), value: text(60) }),
  cents: fc.option(fc.bigInt({ min: 1n, max: 10n ** 10n }), { nil: undefined }),
  name: text(25),
  city: text(15),
});

describe('a BR Code', () => {
  it('has the checksum of the standard', () => {
    expect(crc16('123456789')).toBe('29B1');
  });

  it('contains a key when it is static', () => {
    expect(parseBrCode(STATIC)).toEqual({
      kind: 'static',
      pixKey: '123e4567-e12b-12d1-a456-426655440000',
      url: undefined,
      amount: undefined,
      merchantName: 'Fulano de Tal',
      merchantCity: 'BRASILIA',
      transactionId: undefined,
    });
  });

  it('contains the URL of a charge when it is dynamic', () => {
    expect(parseBrCode(DYNAMIC)).toMatchObject({
      kind: 'dynamic',
      pixKey: undefined,
      merchantName: 'EMPRESA',
      merchantCity: 'SAO PAULO',
      url: 'pix.example.com/qr/93598be0-1bd0-4997-8318-81776a1d8a99',
    });
  });

  it('parses to the fields that it was encoded from', () => {
    fc.assert(
      fc.property(parts, (encoded) => {
        const { kind, pixKey, url, amount, merchantName, merchantCity } = parseBrCode(encode(encoded));
        expect({ target: pixKey ?? url, amount, merchantName, merchantCity }).toEqual({
          target: encoded.target.value,
          amount: encoded.cents,
          merchantName: encoded.name,
          merchantCity: encoded.city,
        });
        expect(kind).toBe(encoded.target.id === '01' ? 'static' : 'dynamic');
      }),
    );
  });

  it('is refused with any one character changed, added or left out', () => {
    const edit = fc.record({ at: fc.nat({ max: 400 }), how: fc.constantFrom('change', 'add', 'drop'), with: text(1) });
    fc.assert(
      fc.property(parts, edit, (encoded, { at, how, with: other }) => {
        const code = encode(encoded);
        const index = at % code.length;
        const rest = code.slice(how === 'add' ? index : index + 1);
        const changed = `${code.slice(0, index)}${how === 'drop' ? '' : other}${rest}`;
        fc.pre(changed !== code);
        expect(() => parseBrCode(changed)).toThrow(/BR Code/);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['no account', withCrc(`${field('00', '01')}${field('53', '986')}${field('58', 'BR')}`)],
    ['another currency', withCrc(STATIC.slice(0, -8).replace('5303986', '5303840'))],
    ['another country', withCrc(STATIC.slice(0, -8).replace('5802BR', '5802US'))],
    ['a field twice', withCrc(`${STATIC.slice(0, -8)}5802BR`)],
    ['the start only', '000201'],
    ['too many characters', `000201${'9'.repeat(100_000)}`],
  ])('is refused with %s', (_, code) => {
    expect(() => parseBrCode(code)).toThrow(/BR Code/);
  });

  it('differs from a Pix key in its first characters', () => {
    expect([STATIC, '12345678909', 'a@b.co'].map(looksLikeBrCode)).toEqual([true, false, false]);
  });
});
