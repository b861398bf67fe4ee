import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { getIntrospectionQuery } from 'graphql';
import { LARGE_BODY_PATH, type Outcome, type Target } from './target';

/** Time for which a client keeps a connection that it does not use well. */
const HELD_MS = 2000;
const MEGABYTE = 1024 * 1024;

async function open({ url }: Target): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number.parseInt(port, 10) });
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  return socket;
}

const headOf = (path: string, { apiKey, address }: Target, length: number): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: a',
    `x-api-key: ${apiKey}`,
    `X-Forwarded-For: ${address}`,
    'Content-Type: application/json',
    `Content-Length: ${String(length)}`,
    '',
    '',
  ].join('\r\n');

/** Status of a response that was received, else `closed`. */
function end(socket: Socket): Outcome {
  const received = socket.destroyed ? null : (socket.read() as Buffer | null);
  socket.destroy();
  const status = /^HTTP\/1\.1 (\d{3})/.exec(received?.toString('latin1') ?? '')?.[1];
  return status === undefined ? 'closed' : Number.parseInt(status, 10);
}

/** Declares a body of 40 MB and sends its first byte. */
export async function halfSentBodies(target: Target): Promise<Outcome> {
  const socket = await open(target);
  socket.write(`${headOf(LARGE_BODY_PATH, target, 40 * MEGABYTE)}{`);
  await wait(HELD_MS);
  return end(socket);
}

export async function slowHeads(target: Target): Promise<Outcome> {
  const socket = await open(target);
  for (const byte of 'GET /health HTTP/1.1\r\nX-A: ') {
    socket.write(byte);
    await wait(HELD_MS / 20);
  }
  return end(socket);
}

/** Requests the whole schema 50 times on one connection, and reads nothing. */
export async function unreadResponses(target: Target): Promise<Outcome> {
  const socket = await open(target);
  socket.pause();
  const body = JSON.stringify({ query: getIntrospectionQuery() });
  socket.write((headOf('/graphql', target, body.length) + body).repeat(50));
  await wait(HELD_MS);
  return end(socket);
}

export async function leftStreams(target: Target): Promise<Outcome> {
  const socket = await open(target);
  const body = JSON.stringify({
    query: 'subscription { actionChanged(id: "00000000-0000-7000-8000-000000000001") { id } }',
  });
  const head = headOf('/graphql', target, body.length).replace('Host: a', 'Host: a\r\nAccept: text/event-stream');
  socket.write(head + body);
  socket.destroy();
  return 'closed';
}
