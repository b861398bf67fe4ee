import { hexToBytes, type Hex, keccak256 } from 'viem';

/** Length of a bloom filter: 2,048 bits in hexadecimal, with the prefix. */
const BLOOM_LENGTH = 514;
const ALL_ONES = `0x${'f'.repeat(BLOOM_LENGTH - 2)}`;
const EMPTY = `0x${'0'.repeat(BLOOM_LENGTH - 2)}`;

/** What the bloom filter of a block proves about its logs. */
export interface BloomEvidence {
  /** The block has logs. */
  readonly hasLogs: boolean;
  /** The block may have logs with the topic. False as well for a filter that proves nothing. */
  readonly mayHaveTopic: boolean;
}

/**
 * Some chains fill the field with zeros or ones, or omit it: such a filter proves nothing, and blocks are taken as the node
 * shows them.
 */
export function bloomEvidence(bloom: unknown, topic: Hex): BloomEvidence {
  if (
    typeof bloom !== 'string' ||
    bloom.length !== BLOOM_LENGTH ||
    bloom === EMPTY ||
    bloom.toLowerCase() === ALL_ONES
  ) {
    return { hasLogs: false, mayHaveTopic: false };
  }
  return { hasLogs: true, mayHaveTopic: bitsOf(topic).every((bit) => hasBit(bloom, bit)) };
}

const bits = new Map<Hex, readonly number[]>();

/** The three bits of an entry: of each of the first three pairs of bytes of its hash, the lowest eleven bits. */
function bitsOf(entry: Hex): readonly number[] {
  const known = bits.get(entry);
  if (known !== undefined) return known;
  const hash = hexToBytes(keccak256(entry));
  const found = [0, 2, 4].map((start) => (((hash[start] ?? 0) << 8) | (hash[start + 1] ?? 0)) & 2047);
  bits.set(entry, found);
  return found;
}

/** Bit 0 is the lowest bit of the last digit. */
function hasBit(bloom: string, bit: number): boolean {
  const digit = Number.parseInt(bloom.charAt(BLOOM_LENGTH - 1 - (bit >> 2)), 16);
  return (digit & (1 << (bit & 3))) !== 0;
}
