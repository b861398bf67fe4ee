import type { RpcCall } from '../actions/scripted-chain';

/** How a provider of nodes limits the blocks of one `eth_getLogs`. */
export interface RangeLimit {
  readonly provider: string;
  readonly maxBlocks: number;
  readonly code: number;
  readonly message: string;
  /** What the error carries beside its message, for a request from this block on. */
  readonly data?: (fromBlock: number) => unknown;
}

const hex = (number: number): string => `0x${number.toString(16)}`;

export const RANGE_LIMITS: readonly RangeLimit[] = [
  {
    provider: 'Alchemy',
    maxBlocks: 10,
    code: -32600,
    message: 'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.',
  },
  {
    provider: 'Infura',
    maxBlocks: 20,
    code: -32005,
    message: 'query returned more than 10000 results',
    data: (fromBlock) => ({ from: hex(fromBlock), to: hex(fromBlock + 19), limit: 10_000 }),
  },
  { provider: 'QuickNode', maxBlocks: 5, code: -32614, message: 'eth_getLogs is limited to a 5 range' },
  { provider: 'Ankr', maxBlocks: 30, code: -32062, message: 'block range is too wide' },
  {
    provider: 'Avalanche',
    maxBlocks: 48,
    code: -32000,
    message: 'requested too many blocks from 1 to 500, maximum is set to 48',
  },
  { provider: 'Cloudflare', maxBlocks: 40, code: -32602, message: 'Max range: 40' },
  {
    provider: 'thirdweb',
    maxBlocks: 35,
    code: -32602,
    message: 'Maximum allowed number of requested blocks is 35',
  },
  { provider: 'Coinbase', maxBlocks: 25, code: -32000, message: 'please limit the query to at most 25 blocks' },
  { provider: 'dRPC', maxBlocks: 50, code: 35, message: 'ranges over 50 blocks are not supported on freetier' },
  { provider: 'PublicNode', maxBlocks: 45, code: -32701, message: 'exceed maximum block range: 45' },
  { provider: 'Chainstack', maxBlocks: 15, code: -32602, message: 'Block range limit exceeded.' },
];

/** The response of a provider to a range of blocks that is too large; `undefined` for any other call. */
export function refuseRange({ maxBlocks, code, message, data }: RangeLimit, { method, params }: RpcCall): unknown {
  const [filter] = params;
  if (method !== 'eth_getLogs' || typeof filter !== 'object' || filter === null) return undefined;
  if (!('fromBlock' in filter && 'toBlock' in filter)) return undefined;
  const [fromBlock, toBlock] = [Number(filter.fromBlock), Number(filter.toBlock)];
  if (toBlock - fromBlock < maxBlocks) return undefined;
  return { error: { code, message, ...(data === undefined ? {} : { data: data(fromBlock) }) } };
}
