import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createChainTable } from '../chains/chain-table';
import { KNOWN_CHAINS } from '../chains/known-chains';
import { createRpc, type Rpc } from './rpc';

const BASE = 8453;
interface Call {
  readonly id: number;
  readonly method: string;
}

let methods: string[];
let results: Record<string, unknown>;
let isAway: boolean;
const warnings: string[] = [];
const respond = (calls: readonly Call[], response: ServerResponse): void => {
  methods.push(...calls.map(({ method }) => method));
  if (isAway) return void response.socket?.resetAndDestroy();
  const responses = calls.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: results[method] }));
  response.end(JSON.stringify(responses));
};
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => respond(JSON.parse(body) as Call[], response));
});
let rpc: Rpc;

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  methods = [];
  warnings.length = 0;
  isAway = false;
  const block = { number: '0x7', timestamp: `0x${Math.floor(Date.now() / 1000).toString(16)}` };
  results = { eth_chainId: '0x2105', eth_blockNumber: '0x7', eth_getBlockByNumber: block };
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/secret`;
  const chains = { table: createChainTable(KNOWN_CHAINS), rpcUrls: new Map([[BASE, url]]) };
  rpc = createRpc({ chains, log: { warn: (...[, message]: unknown[]) => warnings.push(String(message)) } });
});
const refusal = { code: 'PROVIDER_UNAVAILABLE', message: expect.stringContaining('it serves another chain') as string };

describe('a node', () => {
  it('is requested for its chain id once, before the first requests', async () => {
    await Promise.all([rpc.blockNumber(BASE), rpc.blockNumber(BASE)]);
    await rpc.blockNumber(BASE);
    expect(methods[0]).toBe('eth_chainId');
    expect(methods.filter((method) => method === 'eth_chainId')).toHaveLength(1);
  });

  it('of another chain gets no request, and the log and the health report name the setting once', async () => {
    results['eth_chainId'] = '0x1';
    const sentence =
      'RPC_URL_BASE leads to a node of chain 1 instead of 8453 (base). The chain is not served until this is corrected';
    for (let attempt = 0; attempt < 3; attempt += 1) await expect(rpc.blockNumber(BASE)).rejects.toMatchObject(refusal);
    expect(await rpc.health(BASE)).toMatchObject({ status: 'down', reason: sentence });
    expect(new Set(methods)).toEqual(new Set(['eth_chainId']));
    expect(warnings).toEqual([sentence]);
  });

  it('is served as soon as it reports the right chain', async () => {
    results['eth_chainId'] = '0x1';
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    await expect(rpc.blockNumber(BASE)).rejects.toMatchObject(refusal);
    results['eth_chainId'] = '0x2105';
    clock.mockReturnValue(1001);
    expect(await rpc.blockNumber(BASE)).toBe(7n);
    clock.mockRestore();
  });

  it('is checked again after an outage, when another node may respond', async () => {
    await rpc.blockNumber(BASE);
    isAway = true;
    await expect(rpc.blockNumber(BASE)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    isAway = false;
    results['eth_chainId'] = '0x1';
    await expect(rpc.blockNumber(BASE)).rejects.toMatchObject(refusal);
  });

  it.each([[null], ['text'], ['0x'], [`0x${'f'.repeat(64)}`]])(
    'that reports %p as its chain id is trusted',
    async (id) => {
      results['eth_chainId'] = id;
      expect(await rpc.blockNumber(BASE)).toBe(7n);
    },
  );
});
