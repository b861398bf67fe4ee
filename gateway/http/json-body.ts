import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { HeavyWork } from '../edge/overload/heavy-work';
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
/** Bodies above this number of bytes are parsed in the turns of their callers. */
const LARGE_BYTES = 64 * 1024;
const ACTIONS = { protoAction: 'error', constructorAction: 'error' } as const;
const CHARSET = /;\s*charset="?([^";\s]+)/i;

/** Accepts only JSON in UTF-8. An empty body is `undefined`; keys that could change a prototype are refused. */
export function acceptJsonBodies(app: FastifyInstance, { takeTurn }: Pick<HeavyWork, 'takeTurn'>): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    if (body.length <= LARGE_BYTES) return parseJson(textOf(body, request.headers));
    const waitForTurn = async (): Promise<void> => {
      await takeTurn(request);
      if (request.raw.socket.destroyed) throw requestProblem(400, 'request', 'was aborted');
    };
    await waitForTurn();
    const text = textOf(body, request.headers);
    await waitForTurn(); // each of the two steps takes tens of milliseconds for a body of forty megabytes
    return parseJson(text);
  });
}

function textOf(body: Buffer, headers: IncomingHttpHeaders): string {
  assertPlainUtf8(headers);
  if (!isUtf8(body)) throw requestProblem(422, 'body', 'is not valid UTF-8');
  const exceeded = exceededLimit(body, LIMITS);
  if (exceeded !== undefined) throw requestProblem(422, 'body', EXCEEDED[exceeded]);
  return body.toString('utf8');
}

function parseJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    const value: unknown = JSON.parse(withoutByteOrderMark(text));
    // The library's `parse` first searches the whole text, which takes as long as the parsing of a large body.
    if (typeof value === 'object' && value !== null) secureJsonParse.scan(value, ACTIONS);
    return value;
  } catch (error) {
    throw requestProblem(422, 'body', problemOf(error));
  }
}

const withoutByteOrderMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text);

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
