import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { serviceError } from '../../src/errors/service-error';
import { charge } from './charge';
import type { GatewayDependencies } from './dependencies';
import { createRequestDeadline, type WithinTime } from './request-deadline';

const TAKEN = { received: true };

type CallbackDependencies = Pick<GatewayDependencies, 'config' | 'rampCallbacks' | 'rateLimiter'>;

/** Serves the routes that ramps call: no API key, any media type, charged to the address. */
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
    onRequest: (request) => charge(deps.rateLimiter, request, 1),
    handler: async (request, reply) => {
      const { headers } = request;
      const taken = await withinTime(reply, () =>
        deps.rampCallbacks.takePrimary({ headers, rawBody: bodyOf(request) }),
      );
      if (!taken) throw serviceError('AUTHENTICATION_REQUIRED', { reason: 'the ramp did not sign this callback' });
      return accept(reply);
    },
  });
}

/** A wrong secret is answered as any path that is not there. */
function mountSecondary(app: FastifyInstance, deps: CallbackDependencies, withinTime: WithinTime): void {
  app.route<{ Params: { secret: string } }>({
    method: 'POST',
    url: '/callbacks/secondary-ramp/:secret',
    onRequest: async (request) => {
      await charge(deps.rateLimiter, request, 1);
      if (deps.rampCallbacks.isSecret(request.params.secret)) return;
      throw serviceError('NOT_FOUND', { method: 'POST', path: '/callbacks/secondary-ramp' });
    },
    handler: async (request, reply) => {
      await withinTime(reply, () => deps.rampCallbacks.takeSecondary(bodyOf(request)));
      return accept(reply);
    },
  });
}

const accept = (reply: FastifyReply): FastifyReply => reply.header('cache-control', 'no-store').send(TAKEN);

/** There is none when nothing was sent. */
const bodyOf = ({ body }: Pick<FastifyRequest, 'body'>): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0));
