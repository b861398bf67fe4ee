import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { encodeFunctionResult, multicall3Abi, numberToHex, pad, parseAbi } from 'viem';
import { createChainTable } from '../chains/chain-table';
import { KNOWN_CHAINS } from '../chains/known-chains';
import { isServiceError } from '../errors/service-error';
import { readAtBlock } from './block-reads/read-at-one-block';
import { contractRead, type ContractRead } from './contract-read';
import { createRpc, type Rpc } from './rpc';

const ETHEREUM = 1;
const TOKEN = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const abi = parseAbi(['function decimals() view returns (uint8)']);
const decimals = contractRead({ address: TOKEN, abi, functionName: 'decimals' });

type Handler = (requests: readonly { id: number; method: string }[], response: ServerResponse) => void;
let handler: Handler;
let bodies: string[] = [];
const server = createServer((request: IncomingMessage, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    const requests = JSON.parse(body) as { id: number; method: string }[];
    if (requests.every(({ method }) => method === 'eth_chainId')) {
      answering('0x1')(requests, response);
      return;
    }
    bodies.push(body);
    handler(requests, response);
  });
});
const warnings: unknown[] = [];
let rpc: Rpc;
/** Its requests never time out within a test. */
let longTimeoutRpc: Rpc;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v3/secret-of-the-operator`;
  const chains = { table: createChainTable(KNOWN_CHAINS), rpcUrls: new Map([[ETHEREUM, url]]) };
  const log = { warn: (...args: unknown[]) => warnings.push(args) };
  rpc = createRpc({ chains, log, timeoutMs: 400 });
  longTimeoutRpc = createRpc({ chains, log, timeoutMs: 600_000 });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  bodies = [];
  warnings.length = 0;
});

const json = (response: ServerResponse, value: unknown): void => {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
};
const answering =
  (result: unknown): Handler =>
  (requests, response) =>
    json(
      response,
      requests.map(({ id }) => ({ jsonrpc: '2.0', id, result })),
    );
const refusing =
  (error: unknown): Handler =>
  (requests, response) =>
    json(
      response,
      requests.map(({ id }) => ({ jsonrpc: '2.0', id, error })),
    );
const aggregated = (returnData: `0x${string}`) =>
  encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result: [{ success: true, returnData }] });

const SLOW_TOKEN = '0x0000000000000000000000000000000000005100';
const BLOCK = { number: 100n, timestamp: 1_700_000_000n };
/** Responds to reads at the block: its number and time, six for a token, and ten words for the witnesses. */
const answeringBlock = answering(
  encodeFunctionResult({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    result: [BLOCK.number, BLOCK.timestamp, ...Array<bigint>(11).fill(6n)].map((value) => ({
      success: true,
      returnData: pad(numberToHex(value), { size: 32 }),
    })),
  }),
);

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'no failure',
    (error: unknown) => error,
  );
}

const faults: Record<string, Handler> = {
  'never answers': () => undefined,
  'resets the connection': (_, response) => response.socket?.resetAndDestroy(),
  'answers HTTP 500': (_, response) => response.writeHead(500).end('boom'),
  'answers HTTP 429': (_, response) => response.writeHead(429).end('slow down'),
  'answers HTML': (_, response) => response.setHeader('content-type', 'text/html').end('<html>'),
  'answers JSON of another kind': (_, response) => json(response, { hello: 'world' }),
  'answers null': answering(null),
  'answers too short a result': answering('0x1234'),
  'limits us in a JSON-RPC error': refusing({ code: -32005, message: 'limit exceeded' }),
  'lacks the state': refusing({ code: -32000, message: 'header not found' }),
  'drips its body': (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(timer));
  },
};

describe('an unavailable chain', () => {
  it('is logged once, however many requests fail', async () => {
    handler = faults['answers HTTP 500']!;
    const lines: unknown[] = [];
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const chains = { table: createChainTable(KNOWN_CHAINS), rpcUrls: new Map([[ETHEREUM, url]]) };
    const failing = createRpc({ chains, log: { warn: (...args: unknown[]) => lines.push(args) }, timeoutMs: 60_000 });
    for (let request = 0; request < 5; request += 1) await failureOf(failing.blockNumber(ETHEREUM));
    expect(lines).toEqual([[expect.objectContaining({ chain: 'ethereum', failures: 1 }), expect.any(String)]]);
  });

  it.each(Object.keys(faults))('is PROVIDER_UNAVAILABLE without the URL when the node %s', async (fault) => {
    handler = faults[fault]!;
    const error = await failureOf(rpc.multicall(ETHEREUM, [decimals]));
    expect(isServiceError(error) && error.code).toBe('PROVIDER_UNAVAILABLE');
    const exposed = JSON.stringify([(error as Error).message, (error as Error).cause, warnings]);
    expect(exposed).toContain('ethereum RPC');
    expect(exposed).not.toContain('secret-of-the-operator');
    expect(exposed).not.toContain('127.0.0.1');
  });

  it('is reported as soon as the signal aborts', async () => {
    const leaving = new AbortController();
    handler = () => leaving.abort();
    const error = await failureOf(longTimeoutRpc.multicall(ETHEREUM, [decimals], { signal: leaving.signal }));
    expect(isServiceError(error) && error.code).toBe('PROVIDER_UNAVAILABLE');
  });

  it('is reported by the raw client too', async () => {
    handler = faults['answers HTTP 500']!;
    const error = await failureOf(longTimeoutRpc.request(ETHEREUM, (client) => client.getBalance({ address: TOKEN })));
    expect(isServiceError(error) && error.code).toBe('PROVIDER_UNAVAILABLE');
  });

  it('is down, not an error, in the health report', async () => {
    handler = () => undefined;
    expect(await rpc.health(ETHEREUM)).toEqual({ status: 'down', blockNumber: undefined, lagSeconds: undefined });
  });
});

describe('reads', () => {
  it('are retried once after a broken connection', async () => {
    handler = (_, response) => {
      handler = answering(aggregated(`0x${'06'.padStart(64, '0')}`));
      response.socket?.resetAndDestroy();
    };
    expect(await longTimeoutRpc.multicall(ETHEREUM, [decimals])).toEqual([6]);
    expect(bodies).toHaveLength(2);
  });

  it('are undefined when the contract returns no data or unexpected data', async () => {
    handler = answering(aggregated('0x'));
    expect(await longTimeoutRpc.multicall(ETHEREUM, [decimals])).toEqual([undefined]);
    handler = answering(aggregated('0x06'));
    expect(await longTimeoutRpc.multicall(ETHEREUM, [decimals])).toEqual([undefined]);
  });

  it('at a block do not wait for the slowest of their calls', async () => {
    const signal = AbortSignal.timeout(60_000);
    const [fast, slow] = [decimals, contractRead({ address: SLOW_TOKEN, abi, functionName: 'decimals' })];
    const held = new Promise<() => void>((resolve) => {
      handler = (requests, response) => {
        const respond = () => answeringBlock(requests, response);
        if (bodies.at(-1)!.includes(SLOW_TOKEN.slice(2))) resolve(respond);
        else respond();
      };
    });
    const read = (reads: readonly ContractRead<number>[]) =>
      longTimeoutRpc.request(ETHEREUM, (client) =>
        readAtBlock(client, { chain: { chainId: 1 }, reads, block: BLOCK, signal }),
      );
    const [atOnce, later] = [read([fast]), read([slow])];
    expect(await atOnce).toEqual([{ status: 'read', value: 6 }]);
    (await held)();
    expect(await later).toEqual([{ status: 'read', value: 6 }]);
  });

  it.each(['out of gas', 'EVM error OutOfGas', 'gas required exceeds allowance (50000000)'])(
    'do not fail together when one of them burns all the gas (%s)',
    async (message) => {
      handler = refusing({ code: -32000, message });
      expect(await longTimeoutRpc.multicall(ETHEREUM, [decimals, decimals, decimals])).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
    },
  );
});

it('reports that a node does not support simulation', async () => {
  handler = refusing({ code: -32601, message: 'the method eth_simulateV1 does not exist' });
  const call = { from: TOKEN, to: TOKEN, data: '0x', value: 0n } as const;
  await expect(longTimeoutRpc.simulate(ETHEREUM, [call])).rejects.toMatchObject({
    code: 'PROVIDER_UNAVAILABLE',
    message: expect.stringContaining('does not support this call') as string,
  });
});

it('sends a transaction once, even after a broken connection', async () => {
  handler = (_, response) => response.socket?.resetAndDestroy();
  await failureOf(longTimeoutRpc.client(ETHEREUM).sendRawTransaction({ serializedTransaction: '0x01' }));
  expect(bodies).toHaveLength(1);
});

it('throws an InvariantError for a chain that is not served', async () => {
  expect(rpc.serves(10)).toBe(false);
  await expect(rpc.multicall(10, [decimals])).rejects.toThrow('chain 10 is not served');
});
