import { PublicKey, SystemProgram } from '@solana/web3.js';
import { decodeMint } from '../../../rpc/solana/mint';
import type { SolanaAccount } from '../../../rpc/solana/solana-rpc';
import type { TransferProblem } from '../transfer-problem';
import { decodeTokenAccount } from './transfer-accounts';

const problem = (reason: string): TransferProblem => ({ kind: 'RECIPIENT_IS_NOT_A_WALLET', reason });

/**
 * The problem with an address as recipient: only a wallet can spend received tokens. An unused wallet has no account on
 * chain; its address must then be a point on the curve, i.e. can have a private key.
 */
export function recipientProblem(recipient: string, account: SolanaAccount | undefined): TransferProblem | undefined {
  const key = new PublicKey(recipient);
  if (account === undefined) {
    if (PublicKey.isOnCurve(key.toBytes())) return undefined;
    return problem('the recipient is not a wallet: the address has no private key and no account');
  }
  if (account.executable) return problem('the recipient is a program, not a wallet');
  if (decodeTokenAccount(key, account) !== undefined) {
    return problem('the recipient is a token account. Send the address of the wallet that owns it');
  }
  if (decodeMint(recipient, account) !== undefined) return problem('the recipient is a token, not a wallet');
  const isWallet = account.owner === SystemProgram.programId.toBase58() && account.data.length === 0;
  return isWallet ? undefined : problem(`the recipient is not a wallet: it belongs to the program ${account.owner}`);
}
