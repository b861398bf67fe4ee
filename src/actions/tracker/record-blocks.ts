import { describeFailure } from '../../errors/describe-failure';
import { quarantine } from '../state/quarantine';
import { requireLease } from './chain-lease';
import { advanceCursor, markCaughtUp } from './cursor';
import { type TransactionMatches, matchTransactions } from './match-transactions';
import { type MinedBlock, readBlockId } from './read-blocks';
import { readReceipts } from './read-receipts';
import {
  type MatchedExecution,
  recordTransactions,
  type Recording,
  type UnrecordedTransaction,
} from './record-transactions';
import { matchSafeCalls, withoutForgedCalls } from './safes/match-safe-calls';
import type { TrackerDeps } from './tracker-deps';
import { isBundle } from './user-operations/bundle';
import { matchOperations } from './user-operations/match-operations';

export interface BlocksRead {
  readonly chainId: number;
  readonly blocks: readonly MinedBlock[];
  /** True when the newest of them is the head of the chain. */
  readonly caughtUp: boolean;
}

/**
 * - `recorded`: the cursor is behind the blocks.
 * - `reorganised`: the node no longer has one of the blocks.
 * - `unfinished`: more actions wait for an approval than are recorded at once; the blocks have to be read again.
 */
export type RecordingResult = 'recorded' | 'reorganised' | 'unfinished';

/**
 * Records the executions of open actions in these blocks, then advances the cursor. After an interruption the blocks are
 * read again, and what was recorded stays as it is. A block or transaction that cannot be handled is put into quarantine.
 */
export async function recordBlocks(
  deps: TrackerDeps,
  { chainId, blocks, caughtUp }: BlocksRead,
): Promise<RecordingResult> {
  const { database, log } = deps;
  const recording: Recording = {
    database,
    log,
    chainId,
    fence: (tx) => requireLease(tx, deps, chainId),
    setAside: transactionQuarantine({ ...deps, chainId }),
  };
  const result = await recordMatches({ deps, recording }, await matchBlocks(database, chainId, blocks));
  if (result !== 'recorded') return result;
  for (const block of blocks) if (block.failure !== undefined) await setBlockAside({ ...deps, chainId }, block);
  await database.$transaction(async (tx) => {
    await requireLease(tx, deps, chainId);
    await advanceCursor(tx, chainId, blocks);
    if (caughtUp) await markCaughtUp(tx, chainId);
  });
  return 'recorded';
}

export interface MinedRecording {
  readonly deps: Pick<TrackerDeps, 'rpc'>;
  readonly recording: Recording;
}

/** The transactions, user operations and calls of Safes in blocks that are identical to open calls. */
export interface Matches {
  readonly found: readonly MatchedExecution[];
  readonly malformed: TransactionMatches['malformed'];
}

export async function matchBlocks(
  database: TrackerDeps['database'],
  chainId: number,
  blocks: readonly MinedBlock[],
): Promise<Matches> {
  const [{ found, malformed }, operations, safeCalls] = await Promise.all([
    matchTransactions(database, chainId, blocks),
    matchOperations(database, chainId, blocks),
    matchSafeCalls(database, chainId, blocks),
  ]);
  return { found: [...found, ...operations, ...safeCalls], malformed };
}

/** Reads the receipts of matches and records them. */
export async function recordMatches(
  { deps, recording }: MinedRecording,
  { found: matched, malformed }: Matches,
): Promise<RecordingResult> {
  const client = deps.rpc.client(recording.chainId);
  for (const { error, ...mined } of malformed) await recording.setAside(mined, error);
  const { found, failed } = await withoutForgedCalls(client, matched);
  for (const {
    found: { block },
  } of failed) {
    if ((await readBlockId(client, block.number))?.hash !== block.hash) return 'reorganised';
  }
  const receipts = await readReceipts(client, found);
  if (receipts === undefined) return 'reorganised';
  for (const each of failed) await recording.setAside(each.found, each.error);
  return (await recordTransactions(recording, found, receipts)) ? 'recorded' : 'unfinished';
}

interface QuarantineDeps extends Pick<TrackerDeps, 'database' | 'log'> {
  readonly chainId: number;
}

/** Identifies a transaction in the quarantine. Each account with an operation in a bundle has an item of its own. */
export const transactionItem = ({ transaction: { hash }, key }: UnrecordedTransaction): string =>
  key?.form === 'USER_OPERATION' ? `${hash}/${key.sender}` : hash;

/**
 * Puts a transaction, or the user operations of one account in a bundle, into quarantine. One attempt counts once, although
 * several operations of the account fail in it.
 */
export function transactionQuarantine({ database, chainId, log }: QuarantineDeps): Recording['setAside'] {
  const counted = new Set<string>();
  return async (unrecorded, error) => {
    const { transaction, block, key } = unrecorded;
    const { hash: txHash, from } = transaction;
    const item = transactionItem(unrecorded);
    if (counted.has(item)) return;
    counted.add(item);
    // Any account may send a bundle. Without a key, the accounts of its operations are unknown.
    const sender = key?.sender ?? (isBundle(transaction) ? undefined : from);
    log.warn({ chainId, txHash, cause: describeFailure(error) }, 'a transaction was put into quarantine');
    await quarantine(database, { chainId, stage: 'transaction', item, block, txHash, sender }, error);
  };
}

async function setBlockAside({ database, log, chainId }: QuarantineDeps, block: MinedBlock): Promise<void> {
  const { number, hash, failure } = block;
  log.warn(
    { chainId, block: number.toString(), cause: describeFailure(failure) },
    'a block that could not be read completely was put into quarantine',
  );
  await quarantine(database, { chainId, stage: 'block', item: hash, block }, failure);
}
