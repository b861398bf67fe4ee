import { createHash } from 'node:crypto';
import { PublicKey, SystemProgram } from '@solana/web3.js';
import type { SolanaInstruction } from '../../../venues/quote-provider';
import { fromWeb3Instruction, parsePublicKey } from './instructions';

/**
 * The reference account of an action: an address derived from the action's id, without a private key. Only the transaction
 * that executes the action names it, so the trackers find the transaction by this account.
 */
export const actionReference = (actionId: string): string =>
  new PublicKey(createHash('sha256').update(`afluente action reference ${actionId}`).digest()).toBase58();

/**
 * The instruction that carries a reference: a transfer of 0 lamports from the payer to itself, with the reference as an
 * additional read-only account. The System program ignores additional accounts; the memo program would reject an account
 * that has not signed.
 */
export function referenceInstruction(payer: string, reference: string): SolanaInstruction {
  const key = parsePublicKey(payer);
  const { programId, accounts, data } = fromWeb3Instruction(
    SystemProgram.transfer({ fromPubkey: key, toPubkey: key, lamports: 0 }),
  );
  return { programId, data, accounts: [...accounts, { pubkey: reference, isSigner: false, isWritable: false }] };
}
