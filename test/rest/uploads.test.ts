import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Edge, KEY, QUOTE_ID, startEdge } from './edge';

let edge: Edge;
const sockets: Socket[] = [];
beforeAll(async () => {
  edge = await startEdge({
    roots: { 'Mutation.submitKycEvidence': ({ kycUserId }) => ({ kycUserId, status: 'created' }) },
  });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await edge.close();
});

const PATH = `/api/v1/kyc/sessions/${QUOTE_ID}/submit`;
const LARGE = 40 * 1024 * 1024;

/** Sends the head and the first byte of a request, and declares the length of its body. */
async function begin(length: number): Promise<Socket> {
  const { hostname, port } = new URL(edge.url);
  const socket = connect({ host: hostname, port: Number(port) });
  sockets.push(socket.on('error', () => undefined));
  await once(socket, 'connect');
  const head = `POST ${PATH} HTTP/1.1\r\nHost: a\r\nx-api-key: ${KEY}\r\nContent-Type: application/json\r\n`;
  socket.write(`${head}Content-Length: ${String(length)}\r\n\r\n{`);
  return socket;
}

/** The first bytes of the response, or `undefined` when the server still waits for the body. */
const responseTo = (socket: Socket): Promise<string | undefined> =>
  Promise.race([
    once(socket, 'data').then(([data]) => String(data)),
    new Promise<undefined>((resolve) => setTimeout(resolve, 500, undefined)),
  ]);

describe('large bodies', () => {
  it('of one customer are refused above the limit of bytes at a time, until an earlier one is gone', async () => {
    const first = await begin(LARGE);
    expect(await responseTo(first)).toBeUndefined();
    expect(await responseTo(await begin(LARGE))).toBeUndefined();
    const refused = await responseTo(await begin(LARGE));
    expect(refused).toContain('429');
    expect(refused).toContain('RATE_LIMIT_EXCEEDED');
    expect(refused).toContain('"limit":"uploadMegabytes","maximum":80');
    expect(refused).toContain('80 MB, the maximum at a time');
    expect(await responseTo(await begin(20))).toBeUndefined(); // ordinary bodies are not counted
    first.destroy();
    let accepted: string | undefined = 'refused';
    while (accepted !== undefined) accepted = await responseTo(await begin(LARGE));
  });
});
