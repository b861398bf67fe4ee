import { createChainTable } from '../../src/chains/chain-table';
import { startLedger } from '../../src/ledger/start-ledger';
import { openDatabase } from '../../src/persistence/database';
import { createHeadReader } from '../../src/rpc/head-reader';
import { rpcOf } from '../../test/actions/local-tracker';
import { scriptedChainOf } from '../../test/ledger/scripted-ledger';
import type { LedgerProcessSettings } from './ledger-process';

const POLL_MS = 20;
const LEASE_SECONDS = 2;
/** Sends the messages of the log to the process that started this one. */
const report = (_details: unknown, message?: string): void => void process.send?.(message ?? '');
const log = { info: report, warn: report };

/** Reads the chain, as a worker does, until the process is killed. Started by `ledger-process.ts`. */
function readChain({ databaseUrl, rpcUrl, replicaId }: LedgerProcessSettings): void {
  const { database } = openDatabase({ url: databaseUrl, poolSize: 5, log });
  const chain = scriptedChainOf(64);
  const rpc = rpcOf(chain, rpcUrl, { maxResponseBytes: 150_000, timeoutMs: 4000 });
  startLedger({
    database,
    rpc,
    chains: createChainTable([chain]),
    heads: createHeadReader({ rpc, maxAgeMs: POLL_MS / 2 }),
    log,
    replicaId,
    leaseSeconds: LEASE_SECONDS,
    watch: { maxWatchedWallets: 1000 },
    backfillBlocks: 0,
    pollMs: POLL_MS,
    isIndexed: () => true,
  });
}

process.once('message', (settings: LedgerProcessSettings) => {
  readChain(settings);
  process.send?.('reading');
});
process.once('disconnect', () => process.exit());
