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

export interface TransferAccountsRequest {
  readonly token: Pick<Token, 'chainId' | 'address'>;
  readonly sender: string;
  readonly recipient: string;
  readonly signal: AbortSignal;
}

/** An owner's associated token account; `state` is `undefined` when it does not exist. */
export interface AssociatedAccount {
  readonly address: PublicKey;
  readonly state: Account | undefined;
}

/** The accounts that a transfer of a token reads and writes. */
export interface TransferAccounts {
  readonly mint: Mint;
  readonly program: PublicKey;
  readonly sender: SolanaAccount | undefined;
  readonly recipient: SolanaAccount | undefined;
  readonly from: AssociatedAccount;
  readonly to: AssociatedAccount;
}

/**
 * Reads the accounts in one call, for either token program. `undefined` when the token does not exist.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function readTransferAccounts(
  solana: Pick<SolanaRpc, 'accounts'>,
  { token, sender, recipient, signal }: TransferAccountsRequest,
): Promise<TransferAccounts | undefined> {
  const tokenAccounts = [sender, recipient].flatMap((owner) =>
    [TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID].map((program) => associatedAddress(token.address, { owner, program })),
  );
  const addresses = [token.address, sender, recipient, ...tokenAccounts.map((account) => account.toBase58())];
  const found = await solana.accounts(token.chainId, addresses, signal);
  const byAddress = new Map(addresses.map((address, index) => [address, found[index]]));
  const account = byAddress.get(token.address);
  const mint = account === undefined ? undefined : decodeMint(token.address, account);
  const program = account === undefined ? undefined : tokenProgramOf(account);
  if (mint === undefined || program === undefined) return undefined;
  const accountOf = (owner: string): AssociatedAccount => {
    const address = associatedAddress(token.address, { owner, program });
    return { address, state: decodeTokenAccount(address, byAddress.get(address.toBase58())) };
  };
  return {
    mint,
    program,
    sender: byAddress.get(sender),
    recipient: byAddress.get(recipient),
    from: accountOf(sender),
    to: accountOf(recipient),
  };
}

const associatedAddress = (
  mint: string,
  { owner, program }: { readonly owner: string; readonly program: PublicKey },
): PublicKey => getAssociatedTokenAddressSync(new PublicKey(mint), new PublicKey(owner), true, program);

/** Decodes a token account; `undefined` for any other account. */
export function decodeTokenAccount(address: PublicKey, account: SolanaAccount | undefined): Account | undefined {
  const program = account === undefined ? undefined : tokenProgramOf(account);
  if (account === undefined || program === undefined) return undefined;
  try {
    return unpackAccount(address, libraryAccount(account, program), program);
  } catch {
    return undefined; // a mint, or a multisignature account
  }
}
