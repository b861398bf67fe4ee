const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;
const SIGNATURE_BYTES = 64;
const BITS_PER_HEX_DIGIT = 4;

/** True for the signature that identifies a Solana transaction: base58 of 64 bytes. */
export function isSolanaSignature(text: string): boolean {
  if (!BASE58.test(text)) return false;
  const value = Array.from(text).reduce((sum, digit) => sum * 58n + BigInt(ALPHABET.indexOf(digit)), 0n);
  const zeros = text.length - text.replace(/^1+/, '').length;
  const bytes = value === 0n ? 0 : Math.ceil((value.toString(16).length * BITS_PER_HEX_DIGIT) / 8);
  return zeros + bytes === SIGNATURE_BYTES;
}
