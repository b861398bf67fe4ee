import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { serviceError } from '../../src/errors/service-error';
import { countRequest } from '../edge/count-request';
import type { GraphDependencies } from '../edge/dependencies';

interface KnownPath {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/**
 * Responds 404 to unknown paths and 405 with `Allow` to unsupported methods, before the body is read. The requests count
 * against the rate limit of their address. Must be called before routes are added, because it collects their paths.
 */
export function refuseUnknownPaths(app: FastifyInstance, deps: Pick<GraphDependencies, 'rateLimiter'>): void {
  const known = new Map<string, KnownPath>();
  app.addHook('onRoute', ({ path, method }) => {
    if (path === '*') return;
    const entry = known.get(path) ?? { pattern: patternOf(path), methods: new Set(['OPTIONS']) };
    for (const name of [method].flat()) entry.methods.add(name);
    known.set(path, entry);
  });
  const allowedAt = (path: string): string | undefined => {
    for (const { pattern, methods } of known.values()) if (pattern.test(path)) return [...methods].sort().join(', ');
    return undefined;
  };

  const refuse = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    await countRequest(deps.rateLimiter, request, 1);
    const { method } = request;
    const path = pathOf(request.url);
    const allowed = allowedAt(path);
    if (allowed === undefined) throw serviceError('NOT_FOUND', { method, path });
    reply.header('allow', allowed);
    throw serviceError('METHOD_NOT_ALLOWED', { method, path, allowed });
  };
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) refuse(request, reply).catch(done);
    else done();
  });
}

const MAX_SHOWN_PATH_LENGTH = 200;

const pathOf = (url: string): string => (url.split('?', 1)[0] ?? url).slice(0, MAX_SHOWN_PATH_LENGTH);

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/:\w+/g, '[^/]+')}$`);
