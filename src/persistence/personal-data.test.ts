import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { createPersonalDataVault } from './personal-data';

const [first, second, indexKey] = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;
const vault = createPersonalDataVault({ keys: [{ version: 1, key: first }], indexKey });

describe('the vault of personal data', () => {
  it('opens sealed values, and never seals to the same bytes twice', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), fc.string(), (value, context) => {
        const sealed = vault.seal(value, context);
        expect(vault.open(sealed, context)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(vault.seal(value, context)).not.toEqual(sealed);
      }),
    );
  });

  it('rejects data with any modified bit, or of another row', () => {
    const sealed = vault.seal({ taxId: '12345678909' }, 'row 1');
    for (let index = 0; index < sealed.length; index++) {
      const changed = Uint8Array.from(sealed, (byte, at) => (at === index ? byte ^ 1 : byte));
      expect(() => vault.open(changed, 'row 1')).toThrow();
    }
    expect(() => vault.open(sealed, 'row 2')).toThrow('another row');
    expect(() => vault.open(sealed.subarray(0, 20), 'row 1')).toThrow();
  });

  it('reveals nothing of a sealed value', () => {
    expect(Buffer.from(vault.seal({ taxId: '12345678909' }, 'row')).toString('latin1')).not.toContain('12345678909');
  });

  it('opens values sealed under an older key, and seals with the newest', () => {
    const sealed = vault.seal({ a: 1 }, 'row');
    const rotated = createPersonalDataVault({
      keys: [
        { version: 2, key: second },
        { version: 1, key: first },
      ],
      indexKey,
    });
    expect(rotated.open(sealed, 'row')).toEqual({ a: 1 });
    expect(() => vault.open(rotated.seal({ a: 1 }, 'row'), 'row')).toThrow('not configured');
  });

  it('has equal indexes only for the same text of the same kind', () => {
    expect(vault.blindIndex('taxId', '1')).toEqual(vault.blindIndex('taxId', '1'));
    expect(vault.blindIndex('taxId', '1')).not.toEqual(vault.blindIndex('email', '1'));
    expect(vault.blindIndex('taxId', '1')).not.toEqual(vault.blindIndex('taxId', '2'));
  });
});
