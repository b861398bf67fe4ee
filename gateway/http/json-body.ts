import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import secureJsonParse from 'secure-json-parse';
import { requestProblem } from '../edge/failure';
import { exceededLimit, type JsonLimits } from './json-limits';

/**
 * Far above what a request needs. The depth is above the 32 levels of a value (`text-safety.ts`), whose error names the
 * parameter: this one cannot.
 */
const LIMITS: JsonLimits = { depth: 64, values: 10_000 };
const EXCEEDED = {
  depth: `must not be nested more than ${LIMITS.depth} levels deep`,
  values: `must not have more than ${LIMITS.values} values`,
} as const satisfies Record<keyof JsonLimits, string>;
const CHARSET = /;\s*charset="?([^";\s]+)/i;

/** Accepts only JSON in UTF-8. An empty body is `undefined`; keys that could change a prototype are refused. */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      done(null, parseJsonBody(body as Buffer, request.headers));
    } catch (error) {
      done(error as Error);
    }
  });
}

function parseJsonBody(body: Buffer, headers: IncomingHttpHeaders): unknown {
  assertPlainUtf8(headers);
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw requestProblem(422, 'body', 'is not valid UTF-8');
  const exceeded = exceededLimit(body, LIMITS);
  if (exceeded !== undefined) throw requestProblem(422, 'body', EXCEEDED[exceeded]);
  try {
    return secureJsonParse.parse(body.toString('utf8'), { protoAction: 'error', constructorAction: 'error' });
  } catch (error) {
    throw requestProblem(422, 'body', problemOf(error));
  }
}

/** Where the JSON is invalid. The parser's own message would repeat parts of the body. */
function problemOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  if (message.includes('forbidden prototype property'))
    return 'has a key that is not allowed: __proto__ or constructor';
  const [, token] = /\bUnexpected token '(.)'/u.exec(message) ?? [];
  const place = message.includes('end of JSON') ? 'at its end' : /\bat position \d+/.exec(message)?.[0];
  if (place !== undefined) return `is not valid JSON ${place}`;
  return token === undefined ? 'is not valid JSON' : `is not valid JSON: unexpected "${token}"`;
}

function assertPlainUtf8(headers: IncomingHttpHeaders): void {
  const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = headers;
  if (encoding !== 'identity') throw requestProblem(422, 'content-encoding', 'must be identity');
  const charset = CHARSET.exec(type)?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset !== 'utf-8' && charset !== 'utf8') throw requestProblem(422, 'content-type', 'must be JSON in UTF-8');
}
