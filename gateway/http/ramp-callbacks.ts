import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { serviceError } from '../../src/errors/service-error';
import { countRequest } from '../edge/count-request';
import type { GatewayDependencies } from './gateway-dependencies';
import { createRequestDeadline, type WithinTime } from '../edge/request-deadline';

const RECEIVED = { received: true };

type CallbackDependencies = Pick<GatewayDependencies, 'config' | 'rampCallbacks' | 'rateLimiter'>;

/** Serves the callback routes of ramps: no API key, any media type, rate-limited by address. */
export async function mountRampCallbacks(app: FastifyInstance, deps: CallbackDependencies): Promise<void> {
  const withinTime = createRequestDeadline(deps.config.REQUEST_TIMEOUT_MS);
  await app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) => {
      parsed(null, body);
    });
    mountPrimary(scope, deps, withinTime);
    mountSecondary(scope, deps, withinTime);
    done();
  });
}

function mountPrimary(app: FastifyInstance, deps: CallbackDependencies, withinTime: WithinTime): void {
  app.route({
    method: 'POST',
    url: '/callbacks/primary-ramp',
    onRequest: (request) => countRequest(deps.rateLimiter, request, 1),
    handler: async (request, reply) => {
      const { headers } = request;
      const isSigned = await withinTime(reply, () =>
        deps.rampCallbacks.receivePrimaryCallback({ headers, rawBody: bodyOf(request) }),
      );
      if (!isSigned) throw serviceError('AUTHENTICATION_REQUIRED', { reason: 'the ramp did not sign this callback' });
      return accept(reply);
    },
  });
}

/** A wrong secret gets the same 404 as an unknown path. */
function mountSecondary(app: FastifyInstance, deps: CallbackDependencies, withinTime: WithinTime): void {
  app.route<{ Params: { secret: string } }>({
    method: 'POST',
    url: '/callbacks/secondary-ramp/:secret',
    onRequest: async (request) => {
      await countRequest(deps.rateLimiter, request, 1);
      if (deps.rampCallbacks.isSecret(request.params.secret)) return;
      throw serviceError('NOT_FOUND', { method: 'POST', path: '/callbacks/secondary-ramp' });
    },
    handler: async (request, reply) => {
      await withinTime(reply, () => deps.rampCallbacks.receiveSecondaryCallback(bodyOf(request)));
      return accept(reply);
    },
  });
}

const accept = (reply: FastifyReply): FastifyReply => reply.header('cache-control', 'no-store').send(RECEIVED);

/** Empty when no body was sent. */
const bodyOf = ({ body }: Pick<FastifyRequest, 'body'>): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0));
