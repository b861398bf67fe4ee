import { SYSVAR_CLOCK_PUBKEY } from '@solana/web3.js';
import type { ChainHealth } from '../chain-health';
import type { SolanaTransport } from './solana-transport';
import { accountsResponse } from './wire';

/** Age of the chain's clock above which a node is degraded. */
const STALE_AFTER_SECONDS = 120;
/** A node that responds later counts as down. */
const TIMEOUT_MS = 2500;
/** Offsets of slot and time in the clock account. */
const SLOT_OFFSET = 0;
const TIME_OFFSET = 32;

/** Reads the clock account of the chain, which contains slot and time. */
export async function readSolanaHealth(node: Pick<SolanaTransport, 'request'>): Promise<ChainHealth> {
  try {
    const params = [[SYSVAR_CLOCK_PUBKEY.toBase58()], { commitment: 'confirmed', encoding: 'base64' }];
    const call = { method: 'getMultipleAccounts', params };
    const { value } = await node.request(call, accountsResponse, AbortSignal.timeout(TIMEOUT_MS));
    const clock = value[0]?.data;
    if (clock === undefined || clock.length < TIME_OFFSET + 8) return DOWN;
    const [slot, time] = [clock.readBigUInt64LE(SLOT_OFFSET), clock.readBigInt64LE(TIME_OFFSET)].map((part) =>
      Number.parseInt(part.toString(), 10),
    ) as [number, number];
    const lagSeconds = Math.max(0, Math.floor(Date.now() / 1000) - time);
    return { status: lagSeconds > STALE_AFTER_SECONDS ? 'degraded' : 'ok', blockNumber: slot, lagSeconds };
  } catch {
    return DOWN;
  }
}

const DOWN: ChainHealth = { status: 'down', blockNumber: undefined, lagSeconds: undefined };
