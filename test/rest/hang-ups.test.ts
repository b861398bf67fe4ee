import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { serviceError } from '../../src/errors/service-error';
import { type Edge, KEY, QUOTE_ID, startEdge } from './edge';

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge({
    roots: {
      'Query.action': (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(serviceError('SUBREQUEST_TIMEOUT')));
        }),
    },
  });
});
afterAll(() => edge.close());

/** Sends the text and disconnects. */
const sendAndHangUp = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(edge.url);
    const socket = connect({ host: hostname, port: Number(port) }, () =>
      socket.write(text, () => setTimeout(() => socket.destroy(), 50)),
    );
    socket.on('error', reject).on('close', () => resolve());
  });

/** Everything that the log has about a request, once the request has ended. */
async function logOf(requestId: string): Promise<unknown[]> {
  const lines = () => edge.log.filter((line) => line['requestId'] === requestId);
  while (!lines().some(({ msg }) => msg === 'request')) await wait(5);
  await wait(50); // for an error that is reported after the end of the request
  return lines();
}

it.each(['/v2/swap/bytecode', '/graphql', '/callbacks/primary-ramp'])(
  'a caller that hangs up in mid-body of %s is no error of the service',
  async (path) => {
    const requestId = `in-body${path.replaceAll('/', '-')}`;
    const headers = `Host: a\r\nx-request-id: ${requestId}\r\nx-api-key: ${KEY}\r\nContent-Type: application/json`;
    await sendAndHangUp(`POST ${path} HTTP/1.1\r\n${headers}\r\nContent-Length: 100\r\n\r\n{"quoteId":`);
    expect(await logOf(requestId)).toEqual([expect.objectContaining({ level: 30, msg: 'request' })]);
  },
);

it('a caller that hangs up while its request is executed is no error of the service', async () => {
  const headers = `Host: a\r\nx-request-id: executing\r\nx-api-key: ${KEY}`;
  await sendAndHangUp(`GET /actions/${QUOTE_ID} HTTP/1.1\r\n${headers}\r\n\r\n`);
  expect(await logOf('executing')).toEqual([expect.objectContaining({ level: 30, msg: 'request', aborted: true })]);
});
