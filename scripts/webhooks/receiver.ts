import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from './verify-webhook';

/** Larger than any webhook. */
const MAX_BODY_BYTES = 100_000;

export interface ReceiverOptions {
  readonly port: number;
  /** A request that is signed with any of them is accepted. */
  readonly secrets: () => readonly string[];
  /** Called for each verified event, and for each request that is not. */
  readonly onEvent: (event: { readonly id: string; readonly body: string; readonly isVerified: boolean }) => void;
}

export interface Receiver {
  readonly url: string;
  close(): Promise<void>;
}

/** A receiver on this machine. Verified events get 204, all other requests 401. */
export async function startReceiver({ port, secrets, onEvent }: ReceiverOptions): Promise<Receiver> {
  const server = createServer((request, response) => {
    void readBody(request)
      .then((body) => {
        const id = headerOf(request.headers, 'webhook-id');
        const [timestamp, signature] = ['webhook-timestamp', 'webhook-signature'].map((name) =>
          headerOf(request.headers, name),
        );
        const isVerified = verifyWebhook(
          { id, timestamp: timestamp ?? '', signature: signature ?? '', body },
          secrets(),
          new Date(),
        );
        response.writeHead(isVerified ? 204 : 401).end();
        onEvent({ id, body: body.toString('utf8'), isVerified });
      })
      .catch(() => response.writeHead(413).end());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const headerOf = (headers: IncomingHttpHeaders, name: string): string => {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
};

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk as Uint8Array);
    size += bytes.length;
    if (size > MAX_BODY_BYTES) throw new RangeError('the body is too large');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
