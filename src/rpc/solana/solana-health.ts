import { SYSVAR_CLOCK_PUBKEY } from '@solana/web3.js';
import type { ChainHealth } from '../chain-health';
import type { SolanaTransport } from './solana-transport';
import { accountsAnswer } from './wire';

/** Age of the chain's clock from which a node counts as left behind. */
const STALE_AFTER_SECONDS = 120;
/** How long a node may take before it counts as down. */
const PATIENCE_MS = 2500;
/** Where the clock account has the slot and the time. */
const SLOT_AT = 0;
const TIME_AT = 32;

/** By the chain's clock, which tells slot and time in one answer. */
export async function readSolanaHealth(node: Pick<SolanaTransport, 'ask'>): Promise<ChainHealth> {
  try {
    const params = [[SYSVAR_CLOCK_PUBKEY.toBase58()], { commitment: 'confirmed', encoding: 'base64' }];
    const asked = { method: 'getMultipleAccounts', params };
    const { value } = await node.ask(asked, accountsAnswer, AbortSignal.timeout(PATIENCE_MS));
    const clock = value[0]?.data;
    if (clock === undefined || clock.length < TIME_AT + 8) return DOWN;
    const [slot, time] = [clock.readBigUInt64LE(SLOT_AT), clock.readBigInt64LE(TIME_AT)].map((part) =>
      Number.parseInt(part.toString(), 10),
    ) as [number, number];
    const lagSeconds = Math.max(0, Math.floor(Date.now() / 1000) - time);
    return { status: lagSeconds > STALE_AFTER_SECONDS ? 'degraded' : 'ok', blockNumber: slot, lagSeconds };
  } catch {
    return DOWN;
  }
}

const DOWN: ChainHealth = { status: 'down', blockNumber: undefined, lagSeconds: undefined };
