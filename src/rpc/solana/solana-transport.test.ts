import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { createSolanaTransport, type SolanaTransport } from './solana-transport';

interface Call {
  readonly id: number;
  readonly params: readonly number[];
}

let server: Server;
let node: SolanaTransport;
/** Response to a call with this number; text is no valid response. */
let respond: (number: number) => object | string;
let batches: number[];

beforeEach(async () => {
  batches = [];
  respond = (number) => ({ result: number });
  server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[];
      const calls = [body].flat();
      batches.push(calls.length);
      const given = calls.map(({ id, params: [number = 0] }) => [id, respond(number)] as const);
      const broken = given.find(([, each]) => typeof each === 'string')?.[1];
      if (broken !== undefined) {
        response.end(broken);
        return;
      }
      const responses = given.map(([id, each]) => Object.assign({ jsonrpc: '2.0', id }, each));
      response.end(JSON.stringify(Array.isArray(body) ? responses : responses[0]));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  node = createSolanaTransport({ slug: 'solana', url, timeoutMs: 5000, log: { warn: () => undefined } });
});
afterEach(async () => {
  await node.close();
  server.close();
});

const calls = Array.from({ length: 40 }, (_, number) => ({ method: 'm', params: [number] }));
const statuses = async () =>
  (await node.requestEach(calls, z.number())).map((each, number) =>
    each.status === 'fulfilled' ? each.value === number : 'failed',
  );
const allBut = (failed: number) => calls.map((_, number) => (number === failed ? 'failed' : true));

describe('each of several calls to a Solana node', () => {
  it.each([
    ['is an error of the node', { error: { code: -32000, message: 'no' } }],
    ['has an unexpected form', { result: 'text' }],
    ['is missing', {}],
    ['is no JSON', '<html>'],
    ['is too large', `"${'x'.repeat(17_000_000)}"`],
  ])('has its own result when one response %s', async (_, bad) => {
    respond = (number) => (number === 7 ? bad : { result: number });
    expect(await statuses()).toEqual(allBut(7));
    expect(batches.length).toBeLessThan(15);
  });

  it('has its own result when all fail, but the node responds to other calls', async () => {
    respond = (number) => (number < 7 ? { result: 0 } : '<html>');
    const some = await node.requestEach(calls.slice(10, 12), z.number());
    expect(some.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('fails with PROVIDER_UNAVAILABLE when the node responds to no call', async () => {
    respond = () => '<html>';
    await expect(node.requestEach(calls, z.number())).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
  });
});
