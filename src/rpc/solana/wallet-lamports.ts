import { CLOCK_ACCOUNT, readClock, type SolanaClock } from './clock';
import type { SolanaCall, SolanaTransport } from './solana-transport';
import { accountsResponse, lamportsResponse } from './wire';

export interface WalletLamports {
  /** `undefined` when the node returned no clock. */
  readonly clock: SolanaClock | undefined;
  /** In the order of the addresses; 0 without an account, `undefined` when the node did not return an exact number. */
  readonly lamports: readonly (bigint | undefined)[];
}

const ACCOUNTS_PER_CALL = 100;
const BASE64 = { commitment: 'confirmed', encoding: 'base64' } as const;
const NO_DATA = { ...BASE64, dataSlice: { offset: 0, length: 0 } };

/** Reads the clock and the wallets without the data of their accounts, at most 100 accounts a call. @throws PROVIDER_UNAVAILABLE */
export async function readWalletLamports(
  node: Pick<SolanaTransport, 'requestAll'>,
  addresses: readonly string[],
  signal?: AbortSignal,
): Promise<WalletLamports> {
  const chunks = Array.from({ length: Math.ceil(addresses.length / ACCOUNTS_PER_CALL) }, (_, index) =>
    callFor(addresses.slice(index * ACCOUNTS_PER_CALL, (index + 1) * ACCOUNTS_PER_CALL), NO_DATA),
  );
  const [[clock], responses] = await Promise.all([
    node.requestAll([callFor([CLOCK_ACCOUNT], BASE64)], accountsResponse, signal),
    node.requestAll(chunks, lamportsResponse, signal),
  ]);
  const data = clock?.value[0]?.data;
  return {
    clock: data === undefined ? undefined : readClock(data),
    lamports: responses.flatMap(({ value }) => value.map((account) => (account === null ? 0n : account.lamports))),
  };
}

const callFor = (addresses: readonly string[], config: object): SolanaCall => ({
  method: 'getMultipleAccounts',
  params: [addresses, config],
});
