import { DevnetError } from '../devnet-error';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Bytes as Solana writes keys, signatures and instruction data: base 58, a `1` for every leading zero byte. */
export function base58(bytes: Uint8Array): string {
  let text = '';
  for (let rest = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`); rest > 0n; rest /= 58n) {
    text = ALPHABET.charAt(Number.parseInt((rest % 58n).toString(), 10)) + text;
  }
  const significant = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(significant < 0 ? bytes.length : significant) + text;
}

/** @throws DevnetError for text with another character. */
export function fromBase58(text: string): Buffer {
  let value = 0n;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) throw new DevnetError('the text is not base 58');
    value = value * 58n + BigInt(digit);
  }
  const digits = value === 0n ? '' : value.toString(16);
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')]);
}
