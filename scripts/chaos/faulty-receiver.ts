import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { verifyWebhook } from '../webhooks/verify-webhook';

/** What a receiver does with a webhook. `lose`: accepts it, and closes the connection without a response. */
export type Reaction = 'accept' | 'fail' | 'stall' | 'reset' | 'lose';

export interface AcceptedWebhook {
  readonly id: string;
  readonly type: string;
  /** Id of the action. */
  readonly subjectId: string;
  readonly at: number;
}

export interface FaultyReceiver {
  /** URL of the receiver of this number; each has a secret of its own. */
  urlOf(number: number): string;
  /** Secrets by the number of the receiver. */
  readonly secrets: Map<number, string>;
  /** In the order of their arrival, repeated ones included. */
  readonly accepted: readonly AcceptedWebhook[];
  readonly reactions: ReadonlyMap<Reaction, number>;
  readonly unverified: readonly string[];
  close(): Promise<void>;
}

const webhookBody = z.object({ type: z.string(), data: z.object({ id: z.string() }) });

/** Receivers on this machine. `react` decides what the one of a number does with the next webhook. */
export async function startFaultyReceiver(react: (number: number) => Reaction): Promise<FaultyReceiver> {
  const [accepted, unverified, secrets] = [[] as AcceptedWebhook[], [] as string[], new Map<number, string>()];
  const reactions = new Map<Reaction, number>();
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const number = Number.parseInt((request.url ?? '').slice(1), 10);
    const body = await bodyOf(request);
    const received = { ...headersOf(request.headers), body };
    if (!verifyWebhook(received, [secrets.get(number) ?? ''], new Date())) {
      unverified.push(received.id);
      response.writeHead(401).end();
      return;
    }
    const reaction = react(number);
    reactions.set(reaction, (reactions.get(reaction) ?? 0) + 1);
    if (reaction === 'accept' || reaction === 'lose') {
      const { type, data } = webhookBody.parse(JSON.parse(body.toString('utf8')));
      accepted.push({ id: received.id, type, subjectId: data.id, at: performance.now() });
    }
    respond(reaction, request, response);
  };
  const server = createServer((request, response) => void receive(request, response).catch(() => response.destroy()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (number) => `http://127.0.0.1:${String(port)}/${String(number)}`,
    secrets,
    accepted,
    reactions,
    unverified,
    async close() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

/** A stalled webhook gets no response: the sender ends the connection. */
function respond(reaction: Reaction, { socket }: IncomingMessage, response: ServerResponse): void {
  if (reaction === 'accept') response.writeHead(204).end();
  if (reaction === 'fail') response.writeHead(500).end('failed on purpose');
  if (reaction === 'reset' || reaction === 'lose') socket.resetAndDestroy();
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

function headersOf(headers: IncomingHttpHeaders) {
  const [id = '', timestamp = '', signature = ''] = ['id', 'timestamp', 'signature'].map((name) =>
    String(headers[`webhook-${name}`]),
  );
  return { id, timestamp, signature };
}
