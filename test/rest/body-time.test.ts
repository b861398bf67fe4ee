import { connect } from 'node:net';
import { type Edge, KEY, QUOTE_ID, startEdge } from './edge';

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge({
    roots: { 'Mutation.submitKycEvidence': ({ kycUserId }) => ({ kycUserId, status: 'created' }) },
  });
});
afterAll(() => edge.close());

const BODY = '{"firstName":"Ana"}';
/** More than a body usually has. */
const LATE_MS = 9000;

interface Answer {
  readonly status: number;
  readonly body: any;
}

/** Sends the first byte of a body at once and the others late, and resolves to what came until the server hung up. */
const late = (path: string, key = KEY): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(edge.url);
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nx-api-key: ${key}\r\n`;
    const type = `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`;
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(head + type + BODY.slice(0, 1)));
    const rest = setTimeout(() => socket.end(BODY.slice(1)), LATE_MS);
    let received = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      clearTimeout(rest);
      const [, body = 'null'] = received.split('\r\n\r\n');
      resolve({ status: Number(received.split(' ')[1]), body: JSON.parse(body) });
    });
  });

describe('a body that arrives late', () => {
  const EVIDENCE = `/api/v1/kyc/sessions/${QUOTE_ID}/submit`;

  it.concurrent.each([
    ['is not waited for', '/v2/swap/bytecode', KEY, 408, 'VALIDATION_ERROR'],
    ['is waited for where it may be images of evidence', EVIDENCE, KEY, 200, undefined],
    ['is not waited for where nobody knows who sends it', EVIDENCE, 'wrong', 401, 'INVALID_API_KEY'],
  ] as const)(
    '%s',
    async (...[, path, key, status, code]) => {
      const answer = await late(path, key);
      expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
    },
    20_000,
  );
});
