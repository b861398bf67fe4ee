import { type Hex, hexToBytes, keccak256, toHex } from 'viem';

const BITS = 2048;

const known = new Map<Hex, bigint>();

function bitsOf(entry: Hex): bigint {
  const bits = known.get(entry) ?? computeBits(entry);
  known.set(entry, bits);
  return bits;
}

function computeBits(entry: Hex): bigint {
  const hash = hexToBytes(keccak256(entry));
  return [0, 2, 4].reduce((bits, start) => bits | (1n << BigInt(((hash[start]! << 8) | hash[start + 1]!) % BITS)), 0n);
}

/** The bloom filter of logs, as the yellow paper defines it: three bits for each address and topic. */
export function bloomOf(logs: readonly { readonly address: string; readonly topics: readonly Hex[] }[]): Hex {
  let bloom = 0n;
  for (const { address, topics } of logs) {
    for (const entry of [address as Hex, ...topics]) {
      bloom |= bitsOf(entry);
    }
  }
  return toHex(bloom, { size: BITS / 8 });
}
