import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Hex, keccak256, numberToHex, toHex, zeroAddress, zeroHash } from 'viem';
import { bloomOf } from './logs-bloom';

export interface ScriptedTransaction {
  readonly from: string;
  readonly to: string;
  readonly input?: Hex;
  readonly value?: bigint;
  /** Its place in the block by default. */
  readonly nonce?: number;
  readonly reverted?: boolean;
  readonly logs?: readonly { readonly address: string; readonly topics: readonly Hex[]; readonly data: Hex }[];
}

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** An EVM chain that exists only as JSON: the test decides what its blocks contain and how its node responds. */
export interface ScriptedChain {
  readonly rpcUrl: string;
  /** Every call that the node received. */
  readonly calls: RpcCall[];
  /** Adds a block with these transactions and returns their hashes. */
  mine(...transactions: readonly ScriptedTransaction[]): readonly Hex[];
  /** Removes the newest blocks, so that others can take their place. */
  removeBlocks(count: number): void;
  /**
   * Decides the response to a call: an object as its result, `{ result }` for any other value, `{ error }`, text for a
   * response that is no JSON, or `undefined` for the usual one. The node waits for a promise before it responds.
   */
  intercept: (call: RpcCall) => unknown;
  /** Time that every response takes. */
  delayMs: number;
  /** Number of blocks behind the newest one after which blocks are final; `undefined` for a node without the tag. */
  finality: number | undefined;
  /** Hashes of the blocks, the oldest first. */
  hashes(): readonly Hex[];
  stop(): Promise<void>;
}

interface Block {
  readonly header: Readonly<Record<string, unknown>> & { readonly hash: Hex; readonly number: Hex };
  readonly transactions: readonly (Readonly<Record<string, unknown>> & { readonly hash: Hex })[];
  readonly receipts: readonly { readonly logs: readonly ScriptedLog[] }[];
}

type ScriptedLog = Readonly<Record<string, unknown>> & { readonly topics: readonly Hex[] };

export async function startScriptedChain(): Promise<ScriptedChain> {
  const blocks: Block[] = [];
  const mine = (...transactions: readonly ScriptedTransaction[]): readonly Hex[] => {
    const block = blockOf(blocks.length, blocks.at(-1), transactions);
    blocks.push(block);
    return block.transactions.map(({ hash }) => hash);
  };
  mine();
  const server = createServer((request, response) => {
    void bodyOf(request).then(async (body) => {
      const calls = JSON.parse(body) as (RpcCall & { id: number })[] | (RpcCall & { id: number });
      const responses = await Promise.all(
        [calls].flat().map((call) => respond(chain, blocks, Object.assign({ params: [] }, call))),
      );
      await new Promise((resolve) => setTimeout(resolve, chain.delayMs));
      const broken = responses.find((each) => typeof each === 'string');
      response.end(broken ?? JSON.stringify(Array.isArray(calls) ? responses : responses[0]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const chain: ScriptedChain = {
    rpcUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    calls: [],
    mine,
    removeBlocks: (count) => void blocks.splice(-count),
    intercept: () => undefined,
    delayMs: 0,
    finality: undefined,
    hashes: () => blocks.map(({ header }) => header.hash),
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return chain;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function respond(
  chain: ScriptedChain,
  blocks: readonly Block[],
  call: RpcCall & { readonly id: number },
): Promise<unknown> {
  chain.calls.push({ method: call.method, params: call.params });
  const given = await chain.intercept(call);
  if (typeof given === 'string') return given;
  const envelope = { jsonrpc: '2.0', id: call.id };
  if (typeof given === 'object' && given !== null && ('error' in given || 'result' in given))
    return { ...envelope, ...given };
  return given === undefined
    ? Object.assign(envelope, usualResponse(chain, blocks, call))
    : { ...envelope, result: given };
}

function usualResponse(chain: ScriptedChain, blocks: readonly Block[], call: RpcCall): object {
  if (call.method === 'eth_getLogs') return logsOf(blocks, call.params[0] as LogFilter);
  if (call.params[0] !== 'finalized') return { result: usualResult(blocks, call) };
  if (chain.finality === undefined) return { error: { code: -32602, message: 'unknown tag' } };
  return { result: view(blocks[Math.max(0, blocks.length - 1 - chain.finality)], false) };
}

interface LogFilter {
  readonly blockHash?: Hex;
  readonly fromBlock?: Hex;
  readonly toBlock?: Hex;
  readonly address?: Hex;
  readonly topics?: readonly (Hex | readonly Hex[] | null)[];
}

/** The logs of a filter, by block hash or by numbers. A node without the block has an error, or none of the logs. */
function logsOf(blocks: readonly Block[], { blockHash, fromBlock, toBlock, address, topics = [] }: LogFilter): object {
  // The place of a block is its number.
  const found =
    blockHash === undefined
      ? blocks.slice(Number(fromBlock), Number(toBlock) + 1)
      : blocks.filter(({ header }) => header.hash === blockHash);
  if (blockHash !== undefined && found.length === 0) return { error: { code: -32000, message: 'unknown block' } };
  const logs = found.flatMap(({ receipts }) => receipts.flatMap((receipt) => receipt.logs));
  const isWanted = (log: ScriptedLog): boolean =>
    (address === undefined || log['address'] === address) &&
    topics.every((wanted, index) => wanted === null || [wanted].flat().includes(log.topics[index]!));
  return { result: logs.filter(isWanted) };
}

function usualResult(blocks: readonly Block[], { method, params: [first, second] }: RpcCall): unknown {
  const transactions = () => blocks.flatMap((block) => block.transactions);
  const place = () => transactions().findIndex(({ hash }) => hash === first);
  const byHash = (): Block | undefined => blocks.find(({ header }) => header.hash === first);
  const byNumber = (): Block | undefined => (first === 'latest' ? blocks.at(-1) : blocks[Number(first)]);
  const results: Readonly<Record<string, () => unknown>> = {
    eth_chainId: () => numberToHex(31337),
    eth_blockNumber: () => blocks.at(-1)?.header.number,
    eth_getBlockByNumber: () => view(byNumber(), second),
    eth_getBlockByHash: () => view(byHash(), second),
    eth_getTransactionByBlockHashAndIndex: () => byHash()?.transactions[Number(second)] ?? null,
    eth_getTransactionByHash: () => transactions()[place()] ?? null,
    eth_getTransactionReceipt: () => blocks.flatMap(({ receipts }) => receipts)[place()] ?? null,
    eth_getTransactionCount: () => '0x0',
    eth_getBalance: () => '0x0',
  };
  return results[method]?.() ?? (method in results ? null : '0x');
}

const view = (block: Block | undefined, full: unknown): unknown =>
  block && {
    ...block.header,
    transactions: full === true ? block.transactions : block.transactions.map(({ hash }) => hash),
  };

let blocksMade = 0;

function blockOf(height: number, parent: Block | undefined, given: readonly ScriptedTransaction[]): Block {
  const hash = keccak256(toHex(`block ${String((blocksMade += 1))}`));
  const number = numberToHex(height);
  const place = { blockHash: hash, blockNumber: number };
  const transactions = given.map(({ from, to, input = '0x', value = 0n, nonce }, index) => ({
    ...place,
    hash: keccak256(toHex(`${hash} ${String(index)}`)),
    transactionIndex: numberToHex(index),
    from,
    to,
    input,
    value: numberToHex(value),
    type: '0x0',
    nonce: numberToHex(nonce ?? index),
    gas: '0x5208',
    gasPrice: '0x1',
  }));
  const receipts = given.map(({ from, to, reverted = false, logs = [] }, index) => ({
    ...place,
    transactionHash: transactions[index]?.hash,
    transactionIndex: numberToHex(index),
    from,
    to,
    status: reverted ? '0x0' : '0x1',
    gasUsed: '0x5208',
    cumulativeGasUsed: '0x5208',
    effectiveGasPrice: '0x1',
    contractAddress: null,
    logsBloom: '0x',
    type: '0x0',
    logs: logs.map((log, position) => ({
      ...log,
      ...place,
      transactionHash: transactions[index]?.hash,
      logIndex: numberToHex(given.slice(0, index).reduce((sum, { logs: own = [] }) => sum + own.length, position)),
      removed: false,
    })),
  }));
  const header = {
    number,
    hash,
    parentHash: parent?.header.hash ?? zeroHash,
    timestamp: numberToHex(Math.floor(Date.now() / 1000)),
    gasLimit: '0x1c9c380',
    gasUsed: '0x0',
    miner: zeroAddress,
    size: '0x1',
    logsBloom: bloomOf(given.flatMap(({ logs = [] }) => logs)),
  };
  return { header, transactions, receipts };
}
