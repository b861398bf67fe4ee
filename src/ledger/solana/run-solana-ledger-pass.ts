import { holdLease, renewingLease } from '../../actions/tracker/chain-lease';
import type { PassResult } from '../../actions/tracker/run-tracker-once';
import { describeFailure } from '../../errors/describe-failure';
import { fenced } from '../ledger-cursor';
import { type ReadingResult, readSolanaWallet } from './read-solana-wallet';
import { SIGNATURES, type SolanaLedgerDeps } from './solana-ledger-deps';
import { type DueWallet, dueWallets } from './solana-wallet-store';

/** Milliseconds between two readings of a wallet that moves, and the longest for one that does not. */
const [READ_EVERY_MS, MAX_EVERY_MS] = [5000, 300_000];
/** Readings without a new signature after which the interval doubles. */
const QUIET_READINGS = 6;
/** Pause of a wallet that could not be read. */
const FAILED_MS = 15_000;
/** Time after which a pass reads only the first wallet of each customer: slow wallets of one customer delay no other one. */
const MAX_PASS_MS = 10_000;

/**
 * Reads the due wallets of a Solana chain up to its latest finalized slot, which no fork removes. A wallet that cannot be read does
 * not stop the others.
 *
 * @throws when the node or the database does not respond
 */
export async function runSolanaLedgerPass(deps: SolanaLedgerDeps, chainId: number): Promise<PassResult> {
  if (!(await holdLease(deps, chainId))) return 'elsewhere';
  return renewingLease(deps, chainId, () => runPass(deps, chainId));
}

async function runPass(deps: SolanaLedgerDeps, chainId: number): Promise<PassResult> {
  const wallets = await dueWallets(deps.database, chainId);
  const slot = await deps.solana.finalizedSlot(chainId);
  const { maxPassMs = MAX_PASS_MS } = deps;
  const until = Date.now() + maxPassMs;
  await storeHead(deps, chainId, slot);
  for (const wallet of wallets) {
    if (wallet.turn > 1 && Date.now() > until) break;
    await readOne(deps, { chainId, wallet, slot });
    // A pass over slow wallets is no worker that has stopped.
    await storeHead(deps, chainId, slot);
  }
  return wallets.length > 0 ? 'behind' : 'caughtUp';
}

interface Reading {
  readonly chainId: number;
  readonly wallet: DueWallet;
  readonly slot: number;
}

async function readOne(deps: SolanaLedgerDeps, reading: Reading): Promise<void> {
  const { chainId, wallet } = reading;
  try {
    await storeResult(deps, reading, await readSolanaWallet(deps, reading));
  } catch (error) {
    const cause = describeFailure(error);
    deps.log.warn(
      { chainId, walletId: String(wallet.id), cause },
      'the movements of a Solana wallet could not be read',
    );
    const failure = `${cause.name}: ${cause.message}`.slice(0, 300);
    await fenced(
      deps,
      chainId,
      (tx) => tx.$executeRaw`
        UPDATE "SolanaWallet" SET failure = ${failure}, "nextAt" = now() + make_interval(secs => ${FAILED_MS / 1000}::float8)
         WHERE id = ${wallet.id}`,
    );
  }
}

async function storeResult(
  deps: SolanaLedgerDeps,
  { chainId, wallet, slot }: Reading,
  { signatures, movements, isComplete, omittedAccounts, history, differences }: ReadingResult,
): Promise<void> {
  const isQuiet = signatures === 0 && movements === 0 && differences === 0;
  const quietReadings = isQuiet ? wallet.quietReadings + 1 : 0;
  const nextMs = isComplete ? intervalMs(deps, quietReadings) : 0;
  await fenced(
    deps,
    chainId,
    (tx) => tx.$executeRaw`
      UPDATE "SolanaWallet"
         SET failure = NULL, "quietReadings" = ${quietReadings}, "omittedAccounts" = ${omittedAccounts},
             history = ${history}, differences = ${differences},
             "readSlot" = CASE WHEN ${isComplete} THEN greatest("readSlot", ${slot}::bigint) ELSE "readSlot" END,
             "readAt" = CASE WHEN ${isComplete} THEN now() ELSE "readAt" END,
             "nextAt" = now() + make_interval(secs => ${nextMs / 1000}::float8)
       WHERE id = ${wallet.id}`,
  );
}

const intervalMs = ({ readEveryMs = READ_EVERY_MS }: SolanaLedgerDeps, quietReadings: number): number =>
  Math.min(MAX_EVERY_MS, readEveryMs * 2 ** Math.min(20, Math.floor(quietReadings / QUIET_READINGS)));

/** Stores how far the chain is, and that a worker reads it. */
const storeHead = (deps: SolanaLedgerDeps, chainId: number, slot: number): Promise<number> =>
  fenced(
    deps,
    chainId,
    (tx) => tx.$executeRaw`
      INSERT INTO "IndexCursor" ("chainId", stream, number, hash, "blockTime", "finalNumber", "headNumber")
      VALUES (${chainId}, ${SIGNATURES}, ${slot}, '', now(), ${slot}, ${slot})
      ON CONFLICT ("chainId", stream) DO UPDATE
         SET number = excluded.number, "blockTime" = now(), "finalNumber" = excluded.number,
             "headNumber" = excluded.number, "checkedAt" = now()`,
  );
