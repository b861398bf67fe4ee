import type { FastifyInstance } from 'fastify';
import { createSharedCapacity } from '../../src/async/shared-capacity';

const MB = 1024 * 1024;

export interface UploadLimits {
  /** Maximum bytes of large bodies that are received or processed at a time. */
  readonly perCustomer?: number;
  readonly total?: number;
}

/**
 * Bounds the large bodies in memory: each occupies several times its size until its response is sent. A body counts with
 * its declared length, or with the limit of its route when it declares none.
 *
 * Applies to routes whose body limit is above `ordinaryBytes`; the caller is authenticated before its body is read.
 */
export function limitUploads(
  app: FastifyInstance,
  ordinaryBytes: number,
  { perCustomer = 80 * MB, total = 160 * MB }: UploadLimits = {},
): void {
  const capacity = createSharedCapacity({
    perCustomer,
    total,
    reasons: {
      perCustomer: `this customer already uploads up to ${perCustomer / MB} MB, the maximum at a time. Send one document after the other`,
      total: 'too many documents are being uploaded',
    },
  });
  app.addHook('preParsing', async (request, reply) => {
    const { scope, routeOptions, headers } = request;
    const declared = Number.parseInt(headers['content-length'] ?? String(routeOptions.bodyLimit), 10);
    const size = Math.min(declared, routeOptions.bodyLimit);
    // 'close' is not emitted again for a client that has left.
    if (size <= ordinaryBytes || reply.raw.destroyed) return;
    try {
      reply.raw.once('close', capacity.take(scope.principal?.customerId ?? 'none', size));
    } catch (error) {
      reply.header('connection', 'close'); // the body is not read
      throw error;
    }
  });
}
