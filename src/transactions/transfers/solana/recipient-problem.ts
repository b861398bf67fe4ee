import { PublicKey, SystemProgram } from '@solana/web3.js';
import { decodeMint } from '../../../rpc/solana/mint';
import type { SolanaAccount } from '../../../rpc/solana/solana-rpc';
import type { TransferFlaw } from '../transfer-problem';
import { decodedAccount } from './transfer-accounts';

const flaw = (reason: string): TransferFlaw => ({ kind: 'RECIPIENT_IS_NOT_A_WALLET', reason });

/**
 * What is wrong with sending something to an address: whoever is not a wallet cannot spend what arrives. A wallet that
 * holds nothing yet is no account on chain; then a key must be able to belong to somebody.
 */
export function recipientFlaw(recipient: string, account: SolanaAccount | undefined): TransferFlaw | undefined {
  const key = new PublicKey(recipient);
  if (account === undefined) {
    if (PublicKey.isOnCurve(key.toBytes())) return undefined;
    return flaw('the recipient is not a wallet: nobody can hold its key, and no account is there');
  }
  if (account.executable) return flaw('the recipient is a program, not a wallet');
  if (decodedAccount(key, account) !== undefined) {
    return flaw('the recipient is a token account: the wallet that it belongs to is wanted');
  }
  if (decodeMint(recipient, account) !== undefined) return flaw('the recipient is a token, not a wallet');
  const isWallet = account.owner === SystemProgram.programId.toBase58() && account.data.length === 0;
  return isWallet ? undefined : flaw(`the recipient is not a wallet: it belongs to the program ${account.owner}`);
}
