import { connect } from 'node:net';
import { resolveWithin } from '../../../src/async/resolve-within';

/** Longer than the service waits for the rest of a request. */
const LIMIT_MS = 60_000;

/** A response as a socket received it. */
export interface RawResponse {
  readonly status: number;
  readonly body: string;
}

/** Sends bytes and the end of the input. Resolves to all responses when the service ends the connection. */
export async function sendBytes(port: number, bytes: Buffer): Promise<readonly RawResponse[] | 'not ended'> {
  const socket = connect({ port, host: '127.0.0.1' });
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk)).on('error', () => undefined);
  socket.end(bytes);
  const closed = new Promise<true>((resolve) => socket.once('close', () => resolve(true)));
  const isClosed = await resolveWithin(closed, LIMIT_MS);
  socket.destroy();
  return isClosed === undefined ? 'not ended' : responsesIn(Buffer.concat(received).toString('latin1'));
}

const START = /^HTTP\/1\.1 (\d{3})[^\r]*\r\n/;

/** The complete responses at the beginning of a text with one byte for each character. Informational ones are left out. */
function responsesIn(text: string): readonly RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = text;
  for (;;) {
    const status = Number.parseInt(START.exec(rest)?.[1] ?? '', 10);
    const end = rest.indexOf('\r\n\r\n');
    if (Number.isNaN(status) || end === -1) return responses;
    const headers = rest.slice(0, end).toLowerCase();
    const { body, after } = bodyOf(headers, rest.slice(end + 4));
    if (status >= 200) responses.push({ status, body: Buffer.from(body, 'latin1').toString() });
    rest = after;
  }
}

function bodyOf(headers: string, text: string): { readonly body: string; readonly after: string } {
  if (!headers.includes('transfer-encoding: chunked')) {
    const length = Number.parseInt(/content-length: (\d+)/.exec(headers)?.[1] ?? '0', 10);
    return { body: text.slice(0, length), after: text.slice(length) };
  }
  let [body, after] = ['', text];
  for (;;) {
    const [size = ''] = after.split('\r\n', 1);
    const length = Number.parseInt(size, 16);
    const start = size.length + 2;
    body += after.slice(start, start + length);
    after = after.slice(start + length + 2);
    if (!(length > 0)) return { body, after };
  }
}
