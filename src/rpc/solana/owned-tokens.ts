import { TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import type { z } from 'zod';
import type { SolanaCall, SolanaTransport } from './solana-transport';
import { tokenAccountsResponse } from './wire';

/** A token account. `amount` in base units. */
export interface OwnedTokenAccount {
  readonly account: string;
  readonly mint: string;
  readonly program: string;
  readonly amount: bigint;
  readonly decimals: number;
  readonly isFrozen: boolean;
}

/** Every token account of a wallet. */
export interface OwnedTokens {
  /** The earliest slot of the calls. */
  readonly slot: bigint;
  readonly holdings: readonly OwnedTokenAccount[];
}

const TOKEN_PROGRAMS = [TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID].map((program) => program.toBase58());

/** Every token account of a wallet, of both token programs. @throws PROVIDER_UNAVAILABLE */
export async function readTokenBalances(
  node: Pick<SolanaTransport, 'requestAll'>,
  owner: string,
  signal?: AbortSignal,
): Promise<readonly OwnedTokenAccount[]> {
  const responses = await node.requestAll(callsFor(owner), tokenAccountsResponse, signal);
  return responses.flatMap(({ value }) => value.map(holding));
}

/** In the order of the owners; one whose accounts cannot be read, or are too many, does not fail the others. @throws PROVIDER_UNAVAILABLE */
export async function readOwnedTokens(
  node: Pick<SolanaTransport, 'requestEach'>,
  owners: readonly string[],
  signal?: AbortSignal,
): Promise<readonly PromiseSettledResult<OwnedTokens>[]> {
  const calls = owners.flatMap(callsFor).map((call) => ({ ...call, maxBytes: MAX_OWNED_BYTES }));
  const responses = await node.requestEach(calls, tokenAccountsResponse, signal);
  return owners.map((_, index) => {
    const start = index * TOKEN_PROGRAMS.length;
    return joined(responses.slice(start, start + TOKEN_PROGRAMS.length));
  });
}

/** Response of one owner, or of a batch of owners: a wallet with thousands of accounts is not worth the time to parse them. */
const MAX_OWNED_BYTES = 2_000_000;

const callsFor = (owner: string): readonly SolanaCall[] =>
  TOKEN_PROGRAMS.map((programId) => ({
    method: 'getTokenAccountsByOwner',
    params: [owner, { programId }, { commitment: 'confirmed', encoding: 'jsonParsed' }],
  }));

type TokenAccounts = z.output<typeof tokenAccountsResponse>;

/** The accounts of all programs, or the first failure. */
function joined(responses: readonly PromiseSettledResult<TokenAccounts>[]): PromiseSettledResult<OwnedTokens> {
  const failed = responses.find((response) => response.status === 'rejected');
  if (failed !== undefined) return failed;
  const read = responses.flatMap((response) => (response.status === 'fulfilled' ? [response.value] : []));
  const slot = BigInt(Math.min(...read.map(({ context }) => context.slot)));
  return { status: 'fulfilled', value: { slot, holdings: read.flatMap(({ value }) => value.map(holding)) } };
}

function holding({ pubkey, account }: TokenAccounts['value'][number]): OwnedTokenAccount {
  const { mint, state, tokenAmount } = account.data.parsed.info;
  const { amount, decimals } = tokenAmount;
  return {
    account: pubkey,
    mint,
    program: account.owner,
    amount: BigInt(amount),
    decimals,
    isFrozen: state === 'frozen',
  };
}
