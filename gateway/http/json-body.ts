import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { requestProblem } from '../edge/failure';
import type { HeavyWork } from '../edge/overload/heavy-work';
import { callerOf } from '../edge/request-scope';
import { type ParsedJson, parseJsonText } from './json-text.cjs';
import { createJsonThread } from './json-thread';
import { type OwnedBody, readBody } from './read-body';
import { createBodyPace } from './read-at-pace';

/** Bodies above this number of bytes are parsed in the turns of their callers. */
const LARGE_BYTES = 64 * 1024;
/** Bodies above this number of bytes are parsed in a thread of their own. */
const VERY_LARGE_BYTES = 1024 * 1024;
const CHARSET = /;\s*charset="?([^";\s]+)/i;

/** Accepts only JSON in UTF-8. An empty body is `undefined`; keys that could change a prototype are refused. */
export function acceptJsonBodies(app: FastifyInstance, { takeTurn }: Pick<HeavyWork, 'takeTurn'>): void {
  const thread = createJsonThread();
  const paceOf = createUploadPaces();
  app.addHook('onClose', () => thread.close());
  const parse = async (request: FastifyRequest, body: OwnedBody): Promise<ParsedJson> => {
    if (body.length <= LARGE_BYTES) return parseJsonText(body);
    const assertConnected = (): void => {
      if (request.raw.socket.destroyed) throw requestProblem(400, 'request', 'was aborted');
    };
    await takeTurn(request);
    if (body.length > VERY_LARGE_BYTES) return thread.parse(body, assertConnected);
    assertConnected();
    return parseJsonText(body);
  };
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
    const body = await readBody(request, payload, paceOf(request));
    assertPlainUtf8(request.headers);
    const parsed = await parse(request, body);
    if ('problem' in parsed) throw requestProblem(422, 'body', parsed.problem);
    return parsed.value;
  });
}

/** Slows down what exceeds `VERY_LARGE_BYTES` of a body. */
function createUploadPaces(): (request: FastifyRequest) => (bytes: number) => number {
  const pace = createBodyPace();
  return (request) => {
    let received = 0;
    return (bytes) => {
      received += bytes;
      return received <= VERY_LARGE_BYTES ? 0 : pace(callerOf(request), bytes);
    };
  };
}

function assertPlainUtf8(headers: IncomingHttpHeaders): void {
  const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = headers;
  if (encoding !== 'identity') throw requestProblem(422, 'content-encoding', 'must be identity');
  const charset = CHARSET.exec(type)?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset !== 'utf-8' && charset !== 'utf8') throw requestProblem(422, 'content-type', 'must be JSON in UTF-8');
}
