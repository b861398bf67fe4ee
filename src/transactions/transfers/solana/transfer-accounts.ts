import {
  type Account,
  getAssociatedTokenAddressSync,
  type Mint,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
  unpackAccount,
} from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { decodeMint, libraryAccount, tokenProgramOf } from '../../../rpc/solana/mint';
import type { SolanaAccount, SolanaRpc } from '../../../rpc/solana/solana-rpc';
import type { Token } from '../../../tokens/token';

export interface TransferParties {
  readonly token: Pick<Token, 'chainId' | 'address'>;
  readonly sender: string;
  readonly recipient: string;
  readonly signal: AbortSignal;
}

/** Somebody's associated account of a token; `state` is `undefined` when it does not exist. */
export interface TokenPlace {
  readonly address: PublicKey;
  readonly state: Account | undefined;
}

/** Everything that a transfer of a token touches. */
export interface TransferAccounts {
  readonly mint: Mint;
  readonly program: PublicKey;
  readonly sender: SolanaAccount | undefined;
  readonly recipient: SolanaAccount | undefined;
  readonly from: TokenPlace;
  readonly to: TokenPlace;
}

/** In one call, whichever token program it is. `undefined` when there is no such token. @throws PROVIDER_UNAVAILABLE */
export async function readTransferAccounts(
  solana: Pick<SolanaRpc, 'accounts'>,
  { token, sender, recipient, signal }: TransferParties,
): Promise<TransferAccounts | undefined> {
  const places = [sender, recipient].flatMap((owner) =>
    [TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID].map((program) => associatedAccount(token.address, { owner, program })),
  );
  const asked = [token.address, sender, recipient, ...places.map((place) => place.toBase58())];
  const found = await solana.accounts(token.chainId, asked, signal);
  const byAddress = new Map(asked.map((address, index) => [address, found[index]]));
  const account = byAddress.get(token.address);
  const mint = account === undefined ? undefined : decodeMint(token.address, account);
  const program = account === undefined ? undefined : tokenProgramOf(account);
  if (mint === undefined || program === undefined) return undefined;
  const placeOf = (owner: string): TokenPlace => {
    const address = associatedAccount(token.address, { owner, program });
    return { address, state: decodedAccount(address, byAddress.get(address.toBase58())) };
  };
  return {
    mint,
    program,
    sender: byAddress.get(sender),
    recipient: byAddress.get(recipient),
    from: placeOf(sender),
    to: placeOf(recipient),
  };
}

const associatedAccount = (
  mint: string,
  { owner, program }: { readonly owner: string; readonly program: PublicKey },
): PublicKey => getAssociatedTokenAddressSync(new PublicKey(mint), new PublicKey(owner), true, program);

/** A token account; `undefined` for any other account. */
export function decodedAccount(address: PublicKey, account: SolanaAccount | undefined): Account | undefined {
  const program = account === undefined ? undefined : tokenProgramOf(account);
  if (account === undefined || program === undefined) return undefined;
  try {
    return unpackAccount(address, libraryAccount(account, program), program);
  } catch {
    return undefined; // a mint, or a multisignature account
  }
}
