import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseConnectionError } from '../../src/persistence/database-outage';
import { until } from '../resilience/until';
import { type Edge, KEY, QUOTE_ID, startEdge } from './edge';

let edge: Edge;
const sockets: Socket[] = [];
const MAXIMUM_MB = 80;
/** Reads the limit of the customer. */
let findMaximum = (): Promise<number> => Promise.resolve(MAXIMUM_MB);
beforeAll(async () => {
  edge = await startEdge({
    roots: { 'Mutation.submitKycEvidence': ({ kycUserId }) => ({ kycUserId, status: 'created' }) },
    findLimit: () => findMaximum(),
  });
});
afterEach(() => (findMaximum = () => Promise.resolve(MAXIMUM_MB)));
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await edge.close();
});

const PATH = `/api/v1/kyc/sessions/${QUOTE_ID}/submit`;
const LARGE = 40 * 1024 * 1024;

interface Upload {
  readonly id: string;
  readonly socket: Socket;
  /** The first bytes of the response. */
  readonly response: Promise<string>;
}

/** Sends the head and the first byte of a request, and declares the length of its body. */
async function begin(length: number): Promise<Upload> {
  const { hostname, port } = new URL(edge.url);
  const socket = connect({ host: hostname, port: Number(port) });
  const id = `upload-${String(sockets.push(socket.on('error', () => undefined)))}`;
  await once(socket, 'connect');
  const response = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
  const head = `POST ${PATH} HTTP/1.1\r\nHost: a\r\nx-api-key: ${KEY}\r\nx-request-id: ${id}\r\n`;
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${String(length)}\r\n\r\n{`);
  return { id, socket, response };
}

/** The upload that is refused first. The server still waits for the bodies of the others. */
async function firstRefused(uploads: readonly Upload[]): Promise<{ refused: string; waiting: readonly Upload[] }> {
  const responses = uploads.map(async (upload) => ({ upload, refused: await upload.response }));
  const { upload, refused } = await Promise.race(responses);
  return { refused, waiting: uploads.filter((other) => other !== upload) };
}

/** Disconnects. Resolves once the server has noticed, to the line of its log. */
async function leave({ id, socket }: Upload): Promise<Readonly<Record<string, unknown>>> {
  socket.destroy();
  for (;;) {
    const line = edge.log.find(({ requestId, msg }) => requestId === id && msg === 'request');
    if (line !== undefined) return line;
    await sleep(5);
  }
}

describe('large bodies', () => {
  it('of one customer are refused above the limit of bytes at a time, until an earlier one is gone', async () => {
    // Any one of the three is refused, and only when the two others are being received.
    const { refused, waiting } = await firstRefused(await Promise.all([begin(LARGE), begin(LARGE), begin(LARGE)]));
    expect(refused).toContain('429');
    expect(refused).toContain('RATE_LIMIT_EXCEEDED');
    expect(refused).toContain('"limit":"uploadMegabytes","maximum":80');
    expect(refused).toContain('80 MB, the maximum at a time');
    const ordinary = await begin(20); // is not counted
    ordinary.socket.write(`${' '.repeat(18)}}`);
    expect(await ordinary.response).toContain('200 OK');
    expect(await leave(waiting[0]!)).toMatchObject({ aborted: true });
    // Beside the one that is left there is room for one again, and not for two.
    const later = await firstRefused(await Promise.all([begin(LARGE), begin(LARGE)]));
    expect(later.refused).toContain('429');
    for (const upload of [waiting[1]!, ...later.waiting]) expect(await leave(upload)).toMatchObject({ aborted: true });
  });

  it('of a client that leaves while its limit is read do not count', async () => {
    const [maximumMb, length] = [3, 2 * 1024 * 1024]; // there is room for one
    let release: ((maximum: number) => void) | undefined;
    findMaximum = () => new Promise((resolve) => (release = resolve));
    const left = await begin(length);
    await until('the limit is read', () => release !== undefined);
    expect(await leave(left)).toMatchObject({ aborted: true });
    release?.(maximumMb);
    findMaximum = () => Promise.resolve(maximumMb);
    const later = await begin(length);
    later.socket.write(`${' '.repeat(length - 2)}}`);
    expect(await later.response).toContain('200 OK');
  });

  it('are refused when the limit cannot be read', async () => {
    findMaximum = () => Promise.reject(new DatabaseConnectionError('lost'));
    const upload = await begin(LARGE);
    expect(await upload.response).toContain('503 Service Unavailable');
    upload.socket.destroy();
  });
});
