import type { Readable } from 'node:stream';
import { errorCodes, type FastifyRequest } from 'fastify';
import { readAtPace } from './read-at-pace';

const { FST_ERR_CTP_BODY_TOO_LARGE, FST_ERR_CTP_INVALID_CONTENT_LENGTH } = errorCodes;
/** Reserved for a body at first: callers may declare a large one, and never send it. */
const FIRST_BYTES = 64 * 1024;

/** A body in memory of its own. */
export type OwnedBody = Buffer<ArrayBuffer>;

/**
 * Reads the body of a request within the limit of its route, and copies each part when it arrives: joining forty megabytes
 * at the end would stop the event loop. `take` sets the pace, as for `readAtPace`: a sender that is faster waits.
 *
 * @throws FST_ERR_CTP_BODY_TOO_LARGE, FST_ERR_CTP_INVALID_CONTENT_LENGTH, or the error of the connection
 */
export async function readBody(
  request: FastifyRequest,
  payload: Readable,
  take: (bytes: number) => number = () => 0,
): Promise<OwnedBody> {
  const limit = request.routeOptions.bodyLimit;
  const { 'content-length': header } = request.headers;
  const declared = header === undefined ? undefined : Number.parseInt(header, 10);
  if (declared !== undefined && declared > limit) throw new FST_ERR_CTP_BODY_TOO_LARGE();
  const body = createBodyBuffer(declared, limit);
  await new Promise<void>((resolve, reject) => {
    let isRefused = false;
    readAtPace(payload, take, (part) => {
      if (isRefused || body.add(part)) return;
      // The rest is discarded at the same pace.
      isRefused = true;
      reject(new FST_ERR_CTP_BODY_TOO_LARGE());
    });
    payload.once('end', resolve);
    // Stays: a connection may fail again after its body was refused.
    payload.on('error', reject);
  });
  const read = body.read();
  if (declared !== undefined && read.length !== declared) throw new FST_ERR_CTP_INVALID_CONTENT_LENGTH();
  return read;
}

function createBodyBuffer(declared: number | undefined, limit: number) {
  let length = 0;
  let bytes = Buffer.allocUnsafeSlow(Math.min(declared ?? FIRST_BYTES, FIRST_BYTES));
  const reserve = (needed: number): void => {
    if (needed <= bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, declared ?? Math.min(2 * bytes.length, limit)));
    bytes.copy(larger, 0, 0, length);
    bytes = larger;
  };
  return {
    /** False when the body is larger than the limit. */
    add(part: Buffer): boolean {
      const end = length + part.length;
      if (end > limit) return false;
      reserve(end);
      part.copy(bytes, length);
      length = end;
      return true;
    },
    read: (): OwnedBody => bytes.subarray(0, length),
  };
}
