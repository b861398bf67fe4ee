import type { RpcCall, ScriptedChain } from '../actions/scripted-chain';
import { RANGE_LIMITS, refuseRange } from './range-limits';

/** How a node misbehaves: the response to a call, `undefined` for its usual one. */
interface NodeFault {
  readonly name: string;
  /** True when every response is affected; otherwise every second one, so that some are correct. */
  readonly isSteady: boolean;
  respond(call: RpcCall, node: ScriptedChain, newestShown: number): unknown;
}

const isLogs = ({ method }: RpcCall): boolean => method === 'eth_getLogs';
const UNKNOWN_BLOCK = { error: { code: -32000, message: 'unknown block' } };

/** The node shows no block above `newestShown`. */
function lag({ method, params: [first] }: RpcCall, node: ScriptedChain, newestShown: number): unknown {
  const hashes = node.hashes();
  const newest = Math.min(newestShown, hashes.length - 1);
  if (method === 'eth_getLogs') {
    const { blockHash } = first as { readonly blockHash?: string };
    return blockHash !== undefined && hashes.findIndex((hash) => hash === blockHash) > newest
      ? UNKNOWN_BLOCK
      : undefined;
  }
  if (method !== 'eth_getBlockByNumber') return undefined;
  if (first === 'latest') return { result: { number: `0x${newest.toString(16)}`, hash: hashes[newest] } };
  return Number(first) > newest ? { result: null } : undefined;
}

export const NODE_FAULTS: readonly NodeFault[] = [
  { name: 'is sound', isSteady: true, respond: () => undefined },
  { name: 'lags behind', isSteady: true, respond: lag },
  {
    name: 'returns no logs of blocks that have some',
    isSteady: false,
    respond: (call) => (isLogs(call) ? { result: [] } : undefined),
  },
  {
    name: 'cuts its responses',
    isSteady: false,
    respond: (call) => (isLogs(call) ? '[{"jsonrpc":"2.0","id":1,"result":[{"addr' : undefined),
  },
  {
    name: 'returns logs of another block',
    isSteady: false,
    respond: (call) => (isLogs(call) ? { result: [{ blockHash: `0x${'cd'.repeat(32)}` }] } : undefined),
  },
  {
    name: 'has no receipts',
    isSteady: false,
    respond: ({ method }) => (method === 'eth_getTransactionReceipt' ? { result: null } : undefined),
  },
  {
    name: 'limits the rate of requests',
    isSteady: false,
    respond: (call) => (isLogs(call) ? { error: { code: -32005, message: 'rate limit reached' } } : undefined),
  },
  ...RANGE_LIMITS.map((limit) => ({
    name: `limits ranges as ${limit.provider} does`,
    isSteady: true,
    respond: (call: RpcCall) => refuseRange(limit, call),
  })),
];

/** Makes a node misbehave from now on. One that lags shows `lagBlocks` blocks fewer than there are now. */
export function misbehave(node: ScriptedChain, fault: NodeFault, lagBlocks: number): void {
  const newestShown = Math.max(0, node.hashes().length - 1 - lagBlocks);
  let calls = 0;
  node.intercept = (call) => {
    calls += 1;
    return fault.isSteady || calls % 2 === 1 ? fault.respond(call, node, newestShown) : undefined;
  };
}
