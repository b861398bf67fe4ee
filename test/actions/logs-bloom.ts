import { type Hex, hexToBytes, keccak256, toHex } from 'viem';

const BITS = 2048;

/** The bloom filter of logs, as the yellow paper defines it: three bits for each address and topic. */
export function bloomOf(logs: readonly { readonly address: string; readonly topics: readonly Hex[] }[]): Hex {
  let bloom = 0n;
  for (const { address, topics } of logs) {
    for (const entry of [address as Hex, ...topics]) {
      const hash = hexToBytes(keccak256(entry));
      for (const start of [0, 2, 4]) bloom |= 1n << BigInt(((hash[start]! << 8) | hash[start + 1]!) % BITS);
    }
  }
  return toHex(bloom, { size: BITS / 8 });
}
