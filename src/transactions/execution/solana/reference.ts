import { createHash } from 'node:crypto';
import { PublicKey, SystemProgram } from '@solana/web3.js';
import type { SolanaInstruction } from '../../../venues/quote-provider';
import { fromLibrary, keyOf } from './instructions';

/**
 * The account by which the transaction of an action is found on chain: a key that nobody holds, made of the action's
 * id. It names nothing that exists, and only a transaction that executes the action has a reason to name it.
 */
export const referenceOf = (actionId: string): string =>
  new PublicKey(createHash('sha256').update(`afluente action reference ${actionId}`).digest()).toBase58();

/**
 * The instruction that carries a reference: nothing is transferred from the payer to the payer, and the reference stands
 * behind as a read-only account. The System program does not look at further accounts; the memo program would refuse
 * one that has not signed.
 */
export function referenceInstruction(payer: string, reference: string): SolanaInstruction {
  const key = keyOf(payer);
  const { programId, accounts, data } = fromLibrary(
    SystemProgram.transfer({ fromPubkey: key, toPubkey: key, lamports: 0 }),
  );
  return { programId, data, accounts: [...accounts, { pubkey: reference, isSigner: false, isWritable: false }] };
}
