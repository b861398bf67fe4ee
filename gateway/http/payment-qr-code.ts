import type { FastifyInstance } from 'fastify';
import { serviceError } from '../../src/errors/service-error';
import { charge } from './charge';
import type { GatewayDependencies } from './dependencies';

const HEADERS = {
  'content-type': 'image/png',
  'cache-control': 'private, max-age=60',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  // It is made to be shown by pages of others.
  'cross-origin-resource-policy': 'cross-origin',
};

/** Serves the QR codes of payments. Pictures in pages send no credential: the path is one. */
export function mountPaymentQrCode(
  app: FastifyInstance,
  deps: Pick<GatewayDependencies, 'paymentQrCode' | 'rateLimiter'>,
): void {
  app.route<{ Params: { actionId: string; token: string } }>({
    method: ['GET', 'HEAD'],
    url: '/payments/:actionId/:token.png',
    onRequest: (request) => charge(deps.rateLimiter, request, 1),
    handler: async ({ method, params: { actionId, token } }, reply) => {
      const png = await deps.paymentQrCode(actionId, token);
      if (png === undefined) throw serviceError('NOT_FOUND', { method, path: '/payments' });
      return reply.headers(HEADERS).send(png);
    },
  });
}
