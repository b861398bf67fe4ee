import { type Trackers, trackChains } from '../actions/tracker/start-trackers';
import { sleep } from '../async/sleep';
import { backoffMs } from '../async/backoff';
import { describeFailure } from '../errors/describe-failure';
import type { Chain } from '../chains/chain';
import type { LedgerDeps } from './ledger-deps';
import { runSolanaLedgerPass } from './solana/run-solana-ledger-pass';
import type { SolanaLedgerDeps } from './solana/solana-ledger-deps';
import { forgetSolanaWallets } from './solana/solana-watches';
import { type ChainLedger, createChainLedger } from './run-ledger-pass';
import { forgetWallets } from './forget-wallets';
import { watchWallets } from './watch-wallets';

export interface LedgerOptions extends LedgerDeps {
  /** Milliseconds between two passes over a chain. */
  readonly pollMs: number;
  /** True for a chain whose transfers are recorded. */
  readonly isIndexed: (slug: string) => boolean;
  /** Without it no Solana wallet is recorded. */
  readonly solanaLedger?: Pick<SolanaLedgerDeps, 'solana' | 'replicaId'>;
}

const MAX_BACKOFF_MS = 30_000;

/**
 * Starts the ledger of every served chain that is indexed, and watches the wallets of customers. Starts nothing without
 * an indexed chain. Uses the leases of the trackers with the same `replicaId`: stop it before them.
 */
export function startLedger(options: LedgerOptions): Trackers {
  const chainsToRead = indexedChains(options);
  const onSolana = indexedSolanaChains(options);
  if (chainsToRead.length + onSolana.length === 0) return { stop: () => Promise.resolve() };
  const stopping = new AbortController();
  const ledgers = new Map<number, ChainLedger>();
  const dueAt = new Map<number, number>();
  const ledgerOf = (chainId: number): ChainLedger => {
    const ledger = ledgers.get(chainId) ?? createChainLedger(options, chainId, options.pollMs);
    ledgers.set(chainId, ledger);
    return ledger;
  };
  const chains = trackChains(options, {
    chains: chainsToRead,
    async pass(chainId, signal) {
      // Slow chains are not polled as often as the others.
      if (Date.now() < (dueAt.get(chainId) ?? 0)) return 'caughtUp';
      const ledger = ledgerOf(chainId);
      const result = await ledger.pass(signal);
      const delayMs = result === 'caughtUp' ? ledger.pollDelayMs() - options.pollMs : 0;
      dueAt.set(chainId, Date.now() + delayMs);
      return result;
    },
    keepsLease: true,
  });
  const solana = startOnSolana(options, onSolana);
  const watching = keepWatching(options, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await Promise.all([chains.stop(), solana.stop(), watching]);
    },
  };
}

const indexedChains = ({ chains, rpc, isIndexed }: LedgerOptions) =>
  chains.all.filter(({ kind, chainId, slug }) => kind === 'evm' && rpc.serves(chainId) && isIndexed(slug));

const indexedSolanaChains = ({ chains, solanaLedger, isIndexed }: LedgerOptions) =>
  chains.all.filter(
    ({ kind, chainId, slug }) => kind === 'solana' && solanaLedger?.solana.serves(chainId) === true && isIndexed(slug),
  );

function startOnSolana(options: LedgerOptions, chains: readonly Chain[]): Trackers {
  const { solanaLedger } = options;
  if (solanaLedger === undefined || chains.length === 0) return { stop: () => Promise.resolve() };
  const deps = { ...options, ...solanaLedger };
  return trackChains(deps, { chains, pass: (chainId) => runSolanaLedgerPass(deps, chainId), keepsLease: true });
}

async function keepWatching(options: LedgerOptions, signal: AbortSignal): Promise<void> {
  const { pollMs, log } = options;
  const solanaChainIds = indexedSolanaChains(options).map(({ chainId }) => chainId);
  let failures = 0;
  while (!signal.aborted) {
    try {
      const { watched } = await watchWallets({ ...options, solanaChainIds });
      const forgotten = (await forgetWallets(options)) + (await forgetSolanaWallets(options));
      failures = 0;
      if (watched === 0 && forgotten === 0) await sleep(pollMs, signal);
    } catch (error) {
      failures += 1;
      log.warn({ cause: describeFailure(error) }, 'the wallets of customers could not be watched');
      await sleep(backoffMs({ baseMs: pollMs, maxMs: MAX_BACKOFF_MS, failures }), signal);
    }
  }
}
