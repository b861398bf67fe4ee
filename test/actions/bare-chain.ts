import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { devnetAccounts } from '../../devnet/accounts';
import { type Anvil, startAnvil } from '../../devnet/anvil';
import type { Rpc } from '../../src/rpc/rpc';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';

export const BARE_CHAIN_ID = 31399;
export type BareChain = Anvil;

/** Starts an empty chain of the test. Each transaction mines a block, and the test can mine blocks. */
export const startBareChain = (directory: string, port?: number): Promise<BareChain> =>
  startAnvil({
    chainId: BARE_CHAIN_ID,
    port,
    stateFile: path.join(directory, 'state.json'),
    logFile: path.join(directory, 'log'),
  });

export interface BareChainWorld {
  readonly anvil: BareChain;
  readonly test: TestDatabase;
  close(): Promise<void>;
}

/** An empty chain and a database, for one test. */
export async function openBareChain(): Promise<BareChainWorld> {
  const directory = mkdtempSync(path.join(tmpdir(), 'afluente-bare-chain-'));
  const [anvil, test] = await Promise.all([startBareChain(directory), createTestDatabase()]);
  return {
    anvil,
    test,
    async close() {
      await Promise.all([anvil.stop(), test.drop()]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Two accounts with ether on the chain. */
export const fundedAccounts = () => {
  const [sender, other] = devnetAccounts();
  return { sender: sender!, other: other! };
};

/** A node that has the newest nonces and states, and no receipts yet. */
export const withoutReceipts = (rpc: Rpc): Rpc => ({
  ...rpc,
  request: (chainId, run) =>
    rpc.request(chainId, (client) => {
      const request = (args: { method: string }, options: object) =>
        args.method === 'eth_getTransactionReceipt'
          ? Promise.resolve(null)
          : (client.request as (args: object, options: object) => Promise<unknown>)(args, options);
      return run({ ...client, request: request as typeof client.request });
    }),
});
