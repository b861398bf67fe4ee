import type { BridgedChain } from './bridged-chain';
import type { Deposit, Ledger } from './ledger';
import { fill, fillSlowly, refund, tick } from './settlement';
import { sleep } from '../../../src/async/sleep';

/**
 * Mode of the relayer, for open and future deposits.
 *
 * - `normal`: they are filled.
 * - `stall`: they stay unfilled until the mode is `normal` again.
 * - `expire`: they stay unfilled; quotes have short fill deadlines, so that they soon expire and are refunded. Deposits
 *   with such a deadline are never filled, whatever the mode, also after a restart.
 * - `underpay`: they are filled with nine tenths of what they promise, and the API calls that filled.
 * - `lie`: they stay unfilled, but the API reports a fill by a transaction that does not exist.
 */
export const RELAYER_MODES = ['normal', 'stall', 'expire', 'underpay', 'lie'] as const;
export type RelayerMode = (typeof RELAYER_MODES)[number];

export interface RelayerOptions {
  readonly chains: ReadonlyMap<number, BridgedChain>;
  readonly ledger: Ledger;
  readonly mode: () => RelayerMode;
  /** Deposits with a shorter lifetime are never filled. */
  readonly minLifetimeSeconds: number;
  /** How long deposits wait for their fill, in milliseconds. */
  readonly fillDelayMs: number;
  readonly log: (line: string) => void;
}

const POLL_MS = 400;
/** A deposit whose settlement failed is tried again after this time. */
const RETRY_MS = 3000;

/**
 * Fills deposits and refunds expired ones, one after another. The pending work is read from the chains at every
 * round, so nothing is done twice by one that was started again. Returns a function that ends it after the running round.
 */
export function startRelayer(options: RelayerOptions): () => Promise<void> {
  const stopping = new AbortController();
  const notBefore = new Map<string, number>();
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await round(options, { notBefore, signal: stopping.signal });
      } catch (error) {
        options.log(`the relayer of Across: ${messageOf(error)}`);
      }
      await sleep(POLL_MS, stopping.signal);
    }
  };
  const ended = run();
  return async () => {
    stopping.abort();
    await ended;
  };
}

interface Round {
  /** When a deposit may be tried again, by its transaction and number. */
  readonly notBefore: Map<string, number>;
  readonly signal: AbortSignal;
}

async function round(options: RelayerOptions, attempts: Round): Promise<void> {
  const { ledger, chains } = options;
  await ledger.update();
  const expired: Deposit[] = [];
  for (const deposit of ledger.open()) {
    if (attempts.signal.aborted || (attempts.notBefore.get(keyOf(deposit)) ?? 0) > Date.now()) continue;
    await attempt(options, attempts, {
      deposits: [deposit],
      work: async () => {
        if ((await settle(options, deposit)) === 'expired') expired.push(deposit);
      },
    });
  }
  for (const [chainId, chain] of chains) {
    const deposits = expired.filter(({ originChainId }) => originChainId === chainId);
    await attempt(options, attempts, { deposits, work: () => refund(chain, deposits) });
  }
}

const keyOf = ({ txHash, relay }: Deposit): string => `${txHash} ${String(relay.depositId)}`;

interface Work {
  readonly deposits: readonly Deposit[];
  readonly work: () => Promise<void>;
}

/** Logs a failure and retries after a delay; other deposits are not held up. */
async function attempt({ log }: RelayerOptions, { notBefore }: Round, { deposits, work }: Work): Promise<void> {
  try {
    await work();
  } catch (error) {
    for (const deposit of deposits) notBefore.set(keyOf(deposit), Date.now() + RETRY_MS);
    log(`the relayer of Across: deposit ${deposits.map(keyOf).join(', ')}: ${messageOf(error)}`);
  }
}

async function settle(options: RelayerOptions, deposit: Deposit): Promise<'expired' | 'settled' | 'waiting'> {
  const destination = options.chains.get(deposit.destinationChainId);
  const { relay, seenAt, lifetimeSeconds } = deposit;
  if (destination === undefined) return 'waiting';
  if ((await destination.now()) > BigInt(relay.fillDeadline)) return isNumbered(relay) ? 'expired' : 'waiting';
  if (Date.now() / 1000 > relay.fillDeadline + 1) await tick(destination);
  const mode = lifetimeSeconds < options.minLifetimeSeconds ? 'expire' : options.mode();
  if (Date.now() - seenAt < options.fillDelayMs || !isWorthIt(options, deposit)) return 'waiting';
  if (mode === 'normal') await fill(destination, deposit);
  else if (mode === 'underpay') await fillSlowly(destination, deposit, (relay.outputAmount * 9n) / 10n);
  else return 'waiting';
  return 'settled';
}

/** Deposits that chose a number themselves are beyond what a leaf can be numbered by. */
const isNumbered = ({ depositId }: Deposit['relay']): boolean => depositId < 2n ** 32n;

/** A relayer pays only for what it gets back: the same token, and no more of it. */
function isWorthIt({ chains }: RelayerOptions, { relay, originChainId, destinationChainId }: Deposit): boolean {
  const symbolOf = (chainId: number, word: string) =>
    chains.get(chainId)?.tokens.find(({ address }) => word.endsWith(address.slice(2).toLowerCase()))?.symbol;
  const paid = symbolOf(originChainId, relay.inputToken);
  return (
    paid !== undefined &&
    paid === symbolOf(destinationChainId, relay.outputToken) &&
    relay.outputAmount <= relay.inputAmount
  );
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
