import { parentPort } from 'node:worker_threads';
import { type ScriptedChain, startScriptedChain } from '../../test/actions/scripted-chain';
import { busyBlock } from './busy-block';

/** What `openNodeThread` requests of the node. */
export interface NodeRequest {
  /** Blocks to mine. */
  readonly blocks: number;
}

/** The response of the node. */
export interface NodeState {
  readonly rpcUrl: string;
  /** JSON-RPC calls since it was started. */
  readonly calls: number;
}

/** Blocks behind the newest one after which blocks are final. */
const FINALITY = 64;

function respond(node: ScriptedChain, { blocks }: NodeRequest): void {
  const first = node.hashes().length;
  for (let count = 0; count < blocks; count += 1) node.mine(...busyBlock(first + count));
  parentPort?.postMessage({ rpcUrl: node.rpcUrl, calls: node.calls.length } satisfies NodeState);
}

void startScriptedChain().then((node) => {
  node.finality = FINALITY;
  parentPort?.on('message', (request: NodeRequest) => respond(node, request));
});
