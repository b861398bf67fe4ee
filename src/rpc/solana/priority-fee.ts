import type { SolanaTransport } from './solana-transport';
import { feesAnswer } from './wire';

/** Accounts that nodes look at in one question. */
const MOST_ACCOUNTS = 128;
/** Of four slots, three would have taken a transaction that pays this much. */
const PERCENT = 75;

/**
 * Price of a compute unit, in millionths of a lamport, that got transactions in which write these accounts: of the least
 * that each recent slot took, the value that three of four do not exceed. 0 when nobody has to pay.
 */
export async function readPriorityFee(
  node: Pick<SolanaTransport, 'ask'>,
  writable: readonly string[],
  signal?: AbortSignal,
): Promise<bigint> {
  const params = [writable.slice(0, MOST_ACCOUNTS)];
  const fees = await node.ask({ method: 'getRecentPrioritizationFees', params }, feesAnswer, signal);
  const sorted = fees.map(({ prioritizationFee }) => prioritizationFee).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[Math.floor((sorted.length * PERCENT) / 100)] ?? sorted.at(-1) ?? 0n;
}
