import { Keypair } from '@solana/web3.js';
import fc from 'fast-check';
import { isSolanaSignature } from './solana-signature';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

function base58(bytes: Uint8Array): string {
  let value = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = '';
  for (; value > 0n; value /= 58n) text = ALPHABET.charAt(Number.parseInt((value % 58n).toString(), 10)) + text;
  return '1'.repeat(bytes.findIndex((byte) => byte !== 0)) + text;
}

describe('the signature of a transaction on Solana', () => {
  it('is base58 of exactly 64 bytes', () => {
    const bytes = fc.uint8Array({ minLength: 60, maxLength: 68 }).filter((each) => each.some((byte) => byte !== 0));
    fc.assert(
      fc.property(bytes, fc.boolean(), (given, withZeros) => {
        if (withZeros) given[0] = 0;
        fc.pre(given.some((byte) => byte !== 0));
        expect(isSolanaSignature(base58(given))).toBe(given.length === 64);
      }),
    );
  });

  it.each(['', '0x' + 'ab'.repeat(32), 'z'.repeat(88), 'O'.repeat(88), Keypair.generate().publicKey.toBase58()])(
    'is none: %j',
    (text) => {
      expect(isSolanaSignature(text)).toBe(false);
    },
  );
});
