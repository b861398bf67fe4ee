import type { PublicClient } from 'viem';
import { anySignal } from '../async/any-signal';
import { backoffMs } from '../async/backoff';
import { rejectOnAbort } from '../async/race-abort';
import { describeFailure } from '../errors/describe-failure';
import { maxBigInt } from '../money/min-max';
import { maximumBlocks, suggestedBlocks } from '../rpc/log-range-limit';
import { isTooLarge } from '../rpc/rpc-failure';
import type { SearchableBlock } from './find-operation';
import { type LedgerCursor, quarantinedFrom, readLedgerCursor } from './ledger-cursor';
import type { LedgerDeps } from './ledger-deps';
import { proveBackfill } from './prove-backfill';
import { CutLogsError } from './read-transfers';
import { readLargeBlock, readWalletWindow, UnreadableBlockError, type WalletWindow } from './read-wallet-window';
import {
  ALL_WALLETS,
  beginBackfills,
  endBackfill,
  nextBackfill,
  postponeBackfill,
  recordWindow,
  requeueBackfill,
  type SearchPlace,
  type WalletBackfill,
  type WindowPace,
} from './wallet-backfill';

/** Reads what happened to wallets before they were watched, one window of blocks at a time. */
export interface Backfiller {
  /**
   * Reads the next window of a wallet, the customers in turns, or compares its movements with its balances. Does nothing when
   * the last one was a short time ago, or several in a row have failed: the newest blocks come first. Never throws because of the
   * node.
   */
  step(signal: AbortSignal): Promise<void>;
}

/** Attempts to read a block that the node does not show completely, or not in time. */
const MAX_ATTEMPTS = 12;
/** Blocks of a window: at first and at most. */
const [FIRST_WINDOW, MAX_WINDOW, GROWTH] = [1000, 10_000, 1.5];
/** Windows of the same size after a failure: the next larger one would fail again. */
const STEADY_WINDOWS = 20;
/** After failures in a row the time between two windows doubles, up to this one. */
const MAX_PAUSE_MS = 300_000;
/** The newest blocks wait for a window: after one that takes longer, the next one is smaller. */
const SLOW_MS = 3000;
/** After a failure, or a slow one, a smaller window is requested: by this factor, unless the node suggests a size. */
const SHRINK = 2;

export interface BackfillPace {
  /** Time between two windows, and between two searches for wallets that are new; in milliseconds. */
  readonly intervalMs: number;
  readonly searchMs: number;
  /** A window that takes longer is read again later. */
  readonly readingMs: number;
  /** Creates the signal that ends a window, instead of one after `readingMs`. Tests set it. */
  readonly readingLimit?: () => AbortSignal;
}

const PACE: BackfillPace = { intervalMs: 2000, searchMs: 10_000, readingMs: 15_000 };

export function createBackfiller(
  deps: LedgerDeps,
  { chainId, client }: { readonly chainId: number; readonly client: PublicClient },
  { intervalMs, searchMs, readingMs, readingLimit = () => AbortSignal.timeout(readingMs) }: BackfillPace = PACE,
): Backfiller {
  const chain: Chain = { deps, chainId, client, firstWindow: FIRST_WINDOW };
  let [nextStep, nextSearch, failures] = [0, 0, 0];
  let place: SearchPlace = ALL_WALLETS;
  let lastCustomer: string | undefined;
  return {
    async step(signal) {
      if (deps.backfillBlocks === 0 || Date.now() < nextStep) return;
      nextStep = Date.now() + intervalMs;
      if (Date.now() >= nextSearch) {
        // Before the search: a failure of it does not stop the reading of the wallets that have begun.
        nextSearch = Date.now() + searchMs;
        place = await beginBackfills(deps, chainId, place);
      }
      const own = await nextBackfill(deps, chainId, lastCustomer);
      if (own === undefined) return;
      lastCustomer = own.customerId;
      try {
        await advance(chain, own, anySignal(signal, readingLimit()));
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        // The newest blocks wait for each attempt. A node that serves no old blocks fails for every wallet.
        failures = isLarge(error) ? 0 : failures + 1;
        nextStep = Date.now() + backoffMs({ baseMs: intervalMs, maxMs: MAX_PAUSE_MS, failures });
        await postpone(chain, own, error);
      }
    },
  };
}

interface Chain {
  readonly deps: LedgerDeps;
  readonly chainId: number;
  readonly client: PublicClient;
  /** Blocks of the first window of a wallet: fewer when the node stated a limit. */
  firstWindow: number;
}

const windowOf = (chain: Chain, { windowBlocks }: WalletBackfill): number => windowBlocks ?? chain.firstWindow;

async function advance(chain: Chain, own: WalletBackfill, signal: AbortSignal): Promise<void> {
  if (own.lowest <= own.target) return prove(chain, own, signal);
  const { deps, chainId, client } = chain;
  const window = windowOf(chain, own);
  const startedAt = performance.now();
  const last = own.lowest - 1n;
  const first = maxBigInt(unreadFrom(own), last - BigInt(window) + 1n);
  const blocks = await readWindow(client, { wallet: own.address, first, last }, signal);
  const paceAfter = (): WindowPace =>
    performance.now() - startedAt > SLOW_MS ? smaller(Math.floor(window / SHRINK)) : larger(window, own);
  await recordWindow(deps, chainId, { own, first, blocks, paceAfter });
}

const smaller = (size: number): WindowPace => ({ windowBlocks: Math.max(1, size), steadyFor: STEADY_WINDOWS });

const larger = (size: number, { steadyFor }: WindowPace): WindowPace =>
  steadyFor > 0
    ? { windowBlocks: size, steadyFor: steadyFor - 1 }
    : { windowBlocks: Math.min(MAX_WINDOW, Math.ceil(size * GROWTH)), steadyFor };

/** The first block of those below that have to be read: behind those that are recorded, if there are any. */
const unreadFrom = ({ lowest, target, recordedTo }: WalletBackfill): bigint =>
  recordedTo !== null && recordedTo < lowest - 1n ? recordedTo + 1n : target;

/** The sum of the movements is that of a moment at which no block is incomplete. */
async function prove({ deps, chainId, client }: Chain, own: WalletBackfill, signal: AbortSignal): Promise<void> {
  const [anchor, incomplete] = await Promise.all([
    readLedgerCursor(deps.database, chainId),
    deps.database.quarantine.count({ where: quarantinedFrom(chainId, own.lowest) }),
  ]);
  if (anchor === undefined || isReplaying(anchor) || incomplete > 0) {
    const reason = 'blocks of the chain are incomplete, or read again';
    return postponeBackfill(deps, chainId, { own, reason });
  }
  const { isProven, reason } = await rejectOnAbort(
    proveBackfill(deps, chainId, { own, client, anchor, signal }),
    signal,
  );
  const outcome = reason === undefined ? {} : { reason };
  await endBackfill(deps, chainId, { own, state: isProven ? 'proven' : 'unproven', ...outcome });
}

const isReplaying = ({ replayFrom, replayUntil }: LedgerCursor): boolean => replayFrom !== null || replayUntil !== null;

/**
 * The blocks of a window. A single one with too many logs for a response is read from its receipts.
 *
 * @throws UnreadableBlockError when the receipts of a single block are not complete, or not there in time
 */
async function readWindow(
  client: PublicClient,
  request: WalletWindow,
  signal: AbortSignal,
): Promise<readonly SearchableBlock[]> {
  try {
    return await rejectOnAbort(readWalletWindow(client, request, signal), signal);
  } catch (error) {
    if (request.first !== request.last || !isLarge(error)) throw error;
  }
  try {
    return await rejectOnAbort(readLargeBlock(client, request, signal), signal);
  } catch (error) {
    // The node has responded to the request for the logs: it is the block that takes too long.
    throw signal.aborted ? new UnreadableBlockError('the receipts of a block take too long') : error;
  }
}

const isLarge = (error: unknown): boolean => isTooLarge(error) || error instanceof CutLogsError;

/**
 * A range that is too large is read again, smaller, after those of the other wallets; anything else later, smaller as well. A
 * wallet with a block that the node never shows completely is given up in the end.
 */
async function postpone(chain: Chain, own: WalletBackfill, error: unknown): Promise<void> {
  const { deps, chainId } = chain;
  const window = windowOf(chain, own);
  if (isLarge(error)) chain.firstWindow = Math.min(chain.firstWindow, maximumBlocks(error) ?? chain.firstWindow);
  const suggested = isLarge(error) ? suggestedBlocks(error, window) : undefined;
  const next = { ...own, ...smaller(suggested ?? Math.floor(window / SHRINK)) };
  if (isLarge(error) && window > 1) return requeueBackfill(deps, chainId, next);
  const { message } = describeFailure(error);
  deps.log.warn({ chainId, cause: describeFailure(error) }, 'the earlier movements of a wallet could not be read');
  const maxAttempts = error instanceof UnreadableBlockError ? MAX_ATTEMPTS : undefined;
  await postponeBackfill(deps, chainId, { own: next, reason: message, maxAttempts });
}
