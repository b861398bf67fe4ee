import { minBigInt } from '../../money/min-max';
import { CLOCK_ACCOUNT, CLOCK_BYTES, readClock, type SolanaClock } from './clock';
import type { SolanaCall, SolanaTransport } from './solana-transport';
import { lamportsResponse } from './wire';

export interface WalletLamports {
  /** The earliest clock of the calls: no balance is older. `undefined` when the node returned none. */
  readonly clock: SolanaClock | undefined;
  /** In the order of the addresses; 0 without an account, `undefined` when the node did not return an exact number. */
  readonly lamports: readonly (bigint | undefined)[];
}

/** A call reads 100 accounts at most, first the clock: its slot and time are those of the balances. */
const WALLETS_PER_CALL = 99;
/** The data of the clock, and no more of any other account. */
const CONFIG = { commitment: 'confirmed', encoding: 'base64', dataSlice: { offset: 0, length: CLOCK_BYTES } };

/** Reads the wallets, each call together with the clock. @throws PROVIDER_UNAVAILABLE */
export async function readWalletLamports(
  node: Pick<SolanaTransport, 'requestAll'>,
  addresses: readonly string[],
  signal?: AbortSignal,
): Promise<WalletLamports> {
  const calls = Array.from({ length: Math.max(1, Math.ceil(addresses.length / WALLETS_PER_CALL)) }, (_, index) =>
    callFor(addresses.slice(index * WALLETS_PER_CALL, (index + 1) * WALLETS_PER_CALL)),
  );
  const responses = await node.requestAll(calls, lamportsResponse, signal);
  const clocks = responses.map(({ context, value: [clock] }) => clockOf(clock?.data, BigInt(context.slot)));
  return {
    clock: clocks.reduce(earlier),
    lamports: responses.flatMap(({ value: [, ...wallets] }) =>
      wallets.map((account) => (account === null ? 0n : account.lamports)),
    ),
  };
}

const callFor = (addresses: readonly string[]): SolanaCall => ({
  method: 'getMultipleAccounts',
  params: [[CLOCK_ACCOUNT, ...addresses], CONFIG],
});

function clockOf(data: Buffer | undefined, slot: bigint): SolanaClock | undefined {
  const clock = data && readClock(data);
  return clock && { ...clock, slot: minBigInt(clock.slot, slot) };
}

function earlier(one: SolanaClock | undefined, other: SolanaClock | undefined): SolanaClock | undefined {
  if (one === undefined || other === undefined) return undefined;
  return { slot: minBigInt(one.slot, other.slot), unixSeconds: minBigInt(one.unixSeconds, other.unixSeconds) };
}
