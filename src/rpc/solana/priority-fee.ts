import type { SolanaTransport } from './solana-transport';
import { feesResponse } from './wire';

/** Accounts per call, as nodes allow. */
const MAX_ACCOUNTS = 128;
/** Percentile of the recent fees. */
const PERCENTILE = 75;

/**
 * Recent price of a compute unit for transactions that write these accounts, in millionths of a lamport: the 75th
 * percentile of the lowest price of each recent slot. 0 when no priority fee is needed.
 */
export async function readPriorityFee(
  node: Pick<SolanaTransport, 'request'>,
  writable: readonly string[],
  signal?: AbortSignal,
): Promise<bigint> {
  const params = [writable.slice(0, MAX_ACCOUNTS)];
  const fees = await node.request({ method: 'getRecentPrioritizationFees', params }, feesResponse, signal);
  const sorted = fees.map(({ prioritizationFee }) => prioritizationFee).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[Math.floor((sorted.length * PERCENTILE) / 100)] ?? sorted.at(-1) ?? 0n;
}
