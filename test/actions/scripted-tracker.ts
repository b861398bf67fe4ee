import type { Hex } from 'viem';
import { runTrackerOnce } from '../../src/actions/tracker/run-tracker-once';
import type { TrackerDeps } from '../../src/actions/tracker/tracker-deps';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { rpcOf, trackerOf } from './local-tracker';
import { createSampleAction, ROUTER, sampleToken, someCalldata } from './sample-action';
import { someChain } from './sample-transfer';
import { type ScriptedChain, startScriptedChain } from './scripted-chain';

export const CHAIN_ID = 31337;
export const SENDER = `0x${'5e'.repeat(20)}`;
export const TOKEN = `0x${'70'.repeat(20)}`;

export interface ScriptedTracker {
  readonly node: ScriptedChain;
  readonly test: TestDatabase;
  readonly deps: TrackerDeps;
  readonly pass: () => ReturnType<typeof runTrackerOnce>;
  /** An action of SENDER that these calls carry out. */
  readonly swap: (
    calls: readonly { readonly target: string; readonly data: Hex }[],
  ) => Promise<{ readonly id: string }>;
  /** An action, and the transaction that executes it. */
  swapAndTransaction(): Promise<{
    readonly id: string;
    readonly transaction: { readonly from: string; readonly to: string; readonly input: Hex };
  }>;
  statusOf(id: string): Promise<string>;
  /** Number of the block that was read last. */
  cursor(): Promise<bigint>;
  quarantined(): Promise<readonly { stage: string; item: string; error: string }[]>;
  stop(): Promise<void>;
}

interface ScriptedTrackerOptions {
  /** Bound of a response; 100 kB when it is not given. `undefined` is the bound of the service. */
  readonly maxResponseBytes?: number | undefined;
  /** The database; by default one of its own, which `stop` drops. */
  readonly test?: TestDatabase;
}

/** A tracker of a chain whose node is scripted. */
export async function openScriptedTracker(options: ScriptedTrackerOptions = {}): Promise<ScriptedTracker> {
  const { test: given } = options;
  const maxResponseBytes = 'maxResponseBytes' in options ? options.maxResponseBytes : 100_000;
  const [node, test] = await Promise.all([startScriptedChain(), given ?? createTestDatabase()]);
  const chain = someChain(CHAIN_ID);
  const rpc = rpcOf(chain, node.rpcUrl, maxResponseBytes === undefined ? {} : { maxResponseBytes });
  const deps = { ...trackerOf(test.database, chain, node.rpcUrl), rpc };
  const swap: ScriptedTracker['swap'] = (calls) =>
    createSampleAction(test.database, {
      originAddress: SENDER,
      receiverAddress: SENDER,
      tokenIn: sampleToken('IN', { address: TOKEN }),
      calls: calls.map((call) => ({ ...call, sender: SENDER })),
    });
  return {
    node,
    test,
    deps,
    pass: () => runTrackerOnce(deps, CHAIN_ID),
    swap,
    async swapAndTransaction() {
      const data = someCalldata();
      const { id } = await swap([{ target: ROUTER, data }]);
      return { id, transaction: { from: SENDER, to: ROUTER, input: data } };
    },
    statusOf: async (id) => (await test.database.action.findUniqueOrThrow({ where: { id } })).status,
    cursor: async () => (await test.database.trackedBlock.findFirstOrThrow({ orderBy: { number: 'desc' } })).number,
    quarantined: () => test.database.quarantine.findMany({ select: { stage: true, item: true, error: true } }),
    async stop() {
      await Promise.all([node.stop(), given === undefined ? test.drop() : undefined]);
    },
  };
}
