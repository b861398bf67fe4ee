import { isHex, numberToHex, type PublicClient } from 'viem';
import { z } from 'zod';
import { type BloomEvidence, bloomEvidence } from './logs-bloom';
import { TRANSFER_TOPIC } from '../tokens/transfer-topic';

/** A block, without its transactions and logs. Hashes are in lower case. */
export interface BlockHeader {
  readonly number: bigint;
  readonly hash: string;
  readonly parentHash: string;
  readonly time: Date;
  readonly evidence: BloomEvidence;
}

/** The node returned something else than the requested block. */
export class MalformedBlockError extends Error {
  override readonly name = 'MalformedBlockError';
}

const hash = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/i)
  .transform((text) => text.toLowerCase());
const quantity = z
  .string()
  .refine((text) => isHex(text) && text.length > 2 && text.length <= 14)
  .transform((text) => BigInt(text));
const headerSchema = z.object({
  number: quantity,
  hash,
  parentHash: hash,
  timestamp: quantity,
  logsBloom: z.unknown(),
});

/** The header of a block; `undefined` when the node does not have it. */
export async function readHeader(
  client: PublicClient,
  block: bigint | 'finalized',
  signal?: AbortSignal,
): Promise<BlockHeader | undefined> {
  const tag = typeof block === 'bigint' ? numberToHex(block) : block;
  const response: unknown = await client.request(
    { method: 'eth_getBlockByNumber', params: [tag, false] },
    signal === undefined ? {} : { signal },
  );
  if (response === null) return undefined;
  return parseHeader(response, block);
}

/** The header in the response to a request for a block. @throws MalformedBlockError */
export function parseHeader(response: unknown, block: bigint | 'finalized'): BlockHeader {
  const { data } = headerSchema.safeParse(response);
  if (data === undefined || (typeof block === 'bigint' && data.number !== block)) {
    throw new MalformedBlockError('the node returned a malformed block');
  }
  const { number, timestamp, logsBloom } = data;
  return {
    number,
    hash: data.hash,
    parentHash: data.parentHash,
    time: new Date(Number.parseInt(timestamp.toString(), 10) * 1000),
    evidence: bloomEvidence(logsBloom, TRANSFER_TOPIC),
  };
}

/** True when each block is the child of the one before it, the first the child of `parent`. */
export const areHeadersLinked = (parent: { readonly hash: string }, headers: readonly BlockHeader[]): boolean =>
  headers.every(({ parentHash }, index) => parentHash === (headers[index - 1] ?? parent).hash);
