import {
  type Connection,
  type Keypair,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { setTimeout as delay } from 'node:timers/promises';
import { DevnetError } from '../devnet-error';

export interface SignedInstructions {
  readonly instructions: readonly TransactionInstruction[];
  /** The first pays. */
  readonly signers: readonly Keypair[];
}

const MAX_POLLS = 100;
const POLL_MS = 50;

/** Sends a transaction and waits until the local chain has executed it. Its signature. @throws DevnetError */
export async function sendTransaction(
  connection: Connection,
  { instructions, signers }: SignedInstructions,
): Promise<string> {
  const [payer] = signers;
  if (payer === undefined) throw new DevnetError('the transaction has no signer');
  const { blockhash } = await connection.getLatestBlockhash('confirmed');
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: blockhash,
    instructions: [...instructions],
  });
  const transaction = new VersionedTransaction(message.compileToV0Message());
  transaction.sign([...signers]);
  const signature = await connection.sendTransaction(transaction);
  for (let poll = 0; poll < MAX_POLLS; poll++) {
    const { value } = await connection.getSignatureStatuses([signature]);
    const status = value[0];
    if (status?.err !== undefined && status.err !== null) {
      throw new DevnetError(`a transaction of an emulator failed: ${JSON.stringify(status.err)}`);
    }
    if (status !== null && status !== undefined) return signature;
    await delay(POLL_MS);
  }
  throw new DevnetError('a transaction of an emulator was not confirmed');
}
