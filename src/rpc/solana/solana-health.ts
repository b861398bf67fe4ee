import { type ChainHealth, STALE_AFTER_SECONDS } from '../chain-health';
import { CLOCK_ACCOUNT, readClock } from './clock';
import type { SolanaTransport } from './solana-transport';
import { accountsResponse } from './wire';

/** A node that responds later counts as down. */
const TIMEOUT_MS = 2500;

/** Reads the clock account of the chain, which contains slot and time. */
export async function readSolanaHealth(node: Pick<SolanaTransport, 'request'>): Promise<ChainHealth> {
  try {
    const params = [[CLOCK_ACCOUNT], { commitment: 'confirmed', encoding: 'base64' }];
    const call = { method: 'getMultipleAccounts', params };
    const { value } = await node.request(call, accountsResponse, AbortSignal.timeout(TIMEOUT_MS));
    const data = value[0]?.data;
    const clock = data === undefined ? undefined : readClock(data);
    if (clock === undefined) return DOWN;
    const [slot, time] = [clock.slot, clock.unixSeconds].map((part) => Number.parseInt(part.toString(), 10)) as [
      number,
      number,
    ];
    const lagSeconds = Math.max(0, Math.floor(Date.now() / 1000) - time);
    return { status: lagSeconds > STALE_AFTER_SECONDS ? 'degraded' : 'ok', blockNumber: slot, lagSeconds };
  } catch {
    return DOWN;
  }
}

const DOWN: ChainHealth = { status: 'down', blockNumber: undefined, lagSeconds: undefined };
