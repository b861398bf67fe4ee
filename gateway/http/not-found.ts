import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { serviceError } from '../../src/errors/service-error';
import { charge } from './charge';
import type { GatewayDependencies } from './dependencies';

interface KnownPath {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/**
 * Answers 404 where there is nothing and 405 with `Allow` where there is something else, charged to the address: before the
 * body is read, whatever its type. Call it before routes are added: it learns their paths as they come.
 */
export function answerUnknownPaths(app: FastifyInstance, deps: Pick<GatewayDependencies, 'rateLimiter'>): void {
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
    await charge(deps.rateLimiter, request, 1);
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

const LONGEST_PATH_SHOWN = 200;

const pathOf = (url: string): string => (url.split('?', 1)[0] ?? url).slice(0, LONGEST_PATH_SHOWN);

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/:\w+/g, '[^/]+')}$`);
