import type { FastifyInstance, FastifyReply } from 'fastify';
import { customerLimitError, type FindCustomerLimit } from '../../src/auth/customer-limits';
import type { CustomerId } from '../../src/auth/principal';
import { createSharedCapacity } from '../../src/async/shared-capacity';
import { TOTAL_UPLOAD_MEGABYTES } from '../../src/config/upload-bounds';

const MB = 1024 * 1024;

export interface UploadLimits {
  /** Bodies up to this number of bytes are not counted. */
  readonly ordinaryBytes: number;
  readonly findLimit: FindCustomerLimit;
}

/**
 * Bounds the large bodies in memory: each occupies several times its size until its response is sent. A body counts with
 * its declared length, or with the limit of its route when it declares none.
 *
 * The caller is authenticated before its body is read.
 */
export function limitUploads(app: FastifyInstance, { ordinaryBytes, findLimit }: UploadLimits): void {
  const capacity = createSharedCapacity({
    perCustomer: 0,
    total: TOTAL_UPLOAD_MEGABYTES * MB,
    customerError: (maximum) => customerLimitError('uploadMegabytes', maximum / MB),
    full: 'too many documents are being uploaded',
  });
  const take = async (reply: FastifyReply, customerId: CustomerId, size: number): Promise<void> => {
    const maximum = (await findLimit(customerId, 'uploadMegabytes')) * MB;
    // 'close' is not emitted again for a client that has left.
    if (reply.raw.destroyed) return;
    try {
      reply.raw.once('close', capacity.take(customerId, size, maximum));
    } catch (error) {
      reply.header('connection', 'close'); // the body is not read
      throw error;
    }
  };
  // With a callback, because most requests need no promise here.
  app.addHook('preParsing', ({ scope, routeOptions, headers }, reply, ...[payload, done]) => {
    const declared = Number.parseInt(headers['content-length'] ?? String(routeOptions.bodyLimit), 10);
    const size = Math.min(declared, routeOptions.bodyLimit);
    const customerId = scope.principal?.customerId;
    if (size <= ordinaryBytes || customerId === undefined) done(null, payload);
    else take(reply, customerId, size).then(() => done(null, payload), done);
  });
}
