import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, brotliCompress, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A static page or file. It is rendered, hashed and compressed once, at the first request. */
export interface Page {
  readonly type: string;
  readonly content: () => Promise<string | Buffer>;
  /** True when no other site may read it: it may contain an API key. */
  readonly isPrivate?: boolean;
  /** Value of `content-security-policy`, for HTML pages. */
  readonly policy?: (content: Buffer) => string;
}

interface PreparedPage {
  readonly bodies: ReadonlyMap<string, Buffer>;
  readonly headers: Readonly<Record<string, string>>;
  readonly etag: string;
}

const prepared = new WeakMap<Page, Promise<PreparedPage>>();
const compressGzip = promisify(gzip);
const compressBrotli = promisify(brotliCompress);
/** Smaller than gzip's best result, in a fraction of the time of brotli's best. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

export async function sendPage(page: Page, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { bodies, headers, etag } = await preparedPage(page);
  reply.headers(headers);
  if (page.isPrivate === true) reply.removeHeader('access-control-allow-origin');
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  const encoding = chosenEncoding(request.headers['accept-encoding'] ?? '');
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.send(bodies.get(encoding));
}

function preparedPage(page: Page): Promise<PreparedPage> {
  const stored = prepared.get(page);
  if (stored !== undefined) return stored;
  const preparing = prepare(page);
  prepared.set(page, preparing);
  preparing.catch(() => prepared.delete(page));
  return preparing;
}

async function prepare({ type, content, policy, isPrivate }: Page): Promise<PreparedPage> {
  const identity = Buffer.from(await content());
  const etag = `"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`;
  return {
    bodies: new Map([
      ['identity', identity],
      ['gzip', await compressGzip(identity)],
      ['br', await compressBrotli(identity, BROTLI)],
    ]),
    etag,
    headers: {
      'content-type': type,
      'cache-control': 'no-cache',
      etag,
      vary: 'accept, accept-encoding',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      ...(isPrivate === true ? { 'cross-origin-resource-policy': 'same-origin' } : {}),
      ...(policy === undefined ? {} : { 'content-security-policy': policy(identity) }),
    },
  };
}

function chosenEncoding(accepted: string): 'br' | 'gzip' | 'identity' {
  if (/\bbr\b/.test(accepted)) return 'br';
  return /\bgzip\b/.test(accepted) ? 'gzip' : 'identity';
}
