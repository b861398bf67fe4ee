import {
  ExtensionType,
  getExtensionData,
  type Mint,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
  unpackMint,
} from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import type { SolanaAccount } from './solana-rpc';

const TOKEN_PROGRAMS: readonly PublicKey[] = [TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID];

/** The token program of an account; `undefined` for accounts of other programs. */
export const tokenProgramOf = ({ owner }: Pick<SolanaAccount, 'owner'>): PublicKey | undefined =>
  TOKEN_PROGRAMS.find((program) => program.toBase58() === owner);

/** An account in the form of the token library, which ignores its lamports. */
export const libraryAccount = ({ data, executable }: SolanaAccount, owner: PublicKey) => ({
  data,
  executable,
  owner,
  lamports: 0,
});

/** A mint of either token program; `undefined` for any other account. */
export function decodeMint(address: string, account: SolanaAccount): Mint | undefined {
  const program = tokenProgramOf(account);
  if (program === undefined) return undefined;
  try {
    const mint = unpackMint(new PublicKey(address), libraryAccount(account, program), program);
    return mint.isInitialized ? mint : undefined;
  } catch {
    return undefined; // a token account, or a multisignature account
  }
}

/** The metadata stored in a mint of the Token-2022 program. */
export function ownMetadata(mint: Mint): Buffer | undefined {
  return getExtensionData(ExtensionType.TokenMetadata, mint.tlvData) ?? undefined;
}
