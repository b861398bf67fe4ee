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
/** Longer than the timeout of an ordinary body. */
const LATE_MS = 9000;

interface ReceivedResponse {
  readonly status: number;
  readonly body: any;
}

/** Sends the first byte of a body immediately and the others late. Resolves to the response once the server disconnects. */
const late = (path: string, key = KEY): Promise<ReceivedResponse> =>
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

describe('a late body', () => {
  const EVIDENCE = `/api/v1/kyc/sessions/${QUOTE_ID}/submit`;

  it.concurrent.each([
    ['times out', '/v2/swap/bytecode', KEY, 408, 'VALIDATION_ERROR'],
    ['is accepted where it may contain evidence images', EVIDENCE, KEY, 200, undefined],
    ['is not awaited when the API key is invalid', EVIDENCE, 'wrong', 401, 'INVALID_API_KEY'],
  ] as const)(
    '%s',
    async (...[, path, key, status, code]) => {
      const response = await late(path, key);
      expect([response.status, response.body.error?.code]).toEqual([status, code]);
    },
    20_000,
  );
});
