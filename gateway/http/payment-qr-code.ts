import type { FastifyInstance } from 'fastify';
import { serviceError } from '../../src/errors/service-error';
import { countRequest } from '../edge/count-request';
import type { GatewayDependencies } from './gateway-dependencies';

const HEADERS = {
  'content-type': 'image/png',
  'cache-control': 'private, max-age=60',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  // Customers embed the picture in their own pages.
  'cross-origin-resource-policy': 'cross-origin',
};

/** Serves the QR codes of payments. A browser sends no credential for a picture, so the path contains a secret token. */
export function mountPaymentQrCode(
  app: FastifyInstance,
  deps: Pick<GatewayDependencies, 'paymentQrCode' | 'rateLimiter'>,
): void {
  app.route<{ Params: { actionId: string; token: string } }>({
    method: ['GET', 'HEAD'],
    url: '/payments/:actionId/:token.png',
    onRequest: (request) => countRequest(deps.rateLimiter, request, 1),
    handler: async ({ method, params: { actionId, token } }, reply) => {
      const png = await deps.paymentQrCode(actionId, token);
      if (png === undefined) throw serviceError('NOT_FOUND', { method, path: '/payments' });
      return reply.headers(HEADERS).send(png);
    },
  });
}
