import { setTimeout as wait } from 'node:timers/promises';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import {
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  PublicKey,
  SystemProgram,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { fromBase58 } from '../../devnet/solana/base58';
import { runningService } from '../setup/running-service';

const service = runningService();
export const solana = service.chains.find(({ slug }) => slug === 'solana-local')!;
const connection = new Connection(solana.rpcUrl, 'confirmed');
/** Funds all wallets. */
const treasury = Keypair.fromSecretKey(fromBase58(service.solanaAccounts[3]!.secretKey));
const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

export const BRS = solana.tokens['BRS']!;
export const BRS_DECIMALS = 6;

const tokenAccountOf = (owner: PublicKey): PublicKey => getAssociatedTokenAddressSync(new PublicKey(BRS), owner);

export interface SolanaWallet {
  readonly address: string;
  /** Signs a transaction, sends it, and waits for its confirmation. */
  send(rawTransaction: string): Promise<string>;
  balance(): Promise<bigint>;
}

/** A new wallet with SOL, and with BRS in base units. */
export async function newSolanaWallet(amount: bigint): Promise<SolanaWallet> {
  const keys = Keypair.generate();
  const { publicKey } = keys;
  const [mint, own, theirs] = [new PublicKey(BRS), tokenAccountOf(publicKey), tokenAccountOf(treasury.publicKey)];
  const payer = treasury.publicKey;
  const message = new TransactionMessage({
    payerKey: payer,
    recentBlockhash: (await connection.getLatestBlockhash()).blockhash,
    instructions: [
      SystemProgram.transfer({ fromPubkey: payer, toPubkey: publicKey, lamports: LAMPORTS_PER_SOL }),
      createAssociatedTokenAccountIdempotentInstruction(payer, own, publicKey, mint),
      createTransferCheckedInstruction(theirs, mint, own, payer, amount, BRS_DECIMALS),
    ],
  });
  await sent(new VersionedTransaction(message.compileToV0Message()), treasury);
  return {
    address: publicKey.toBase58(),
    send: (raw) => sent(VersionedTransaction.deserialize(Buffer.from(raw, 'base64')), keys),
    balance: () => balanceOf(publicKey.toBase58()),
  };
}

export async function balanceOf(owner: string): Promise<bigint> {
  const { value } = await connection.getTokenAccountBalance(tokenAccountOf(new PublicKey(owner)));
  return BigInt(value.amount);
}

const MAX_POLLS = 200;

async function sent(transaction: VersionedTransaction, signer: Keypair): Promise<string> {
  transaction.sign([signer]);
  const signature = await connection.sendTransaction(transaction);
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    const { value } = await connection.getSignatureStatuses([signature]);
    const [status] = value;
    if (status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized') return signature;
    await wait(100);
  }
  throw new Error(`${signature} was not confirmed`);
}

/** Memos of a transaction on the chain. */
export async function memosOf(signature: string): Promise<readonly string[]> {
  const landed = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
  const { message } = landed!.transaction;
  const keys = message.staticAccountKeys.map((key) => key.toBase58());
  return message.compiledInstructions
    .filter(({ programIdIndex }) => keys[programIdIndex] === MEMO_PROGRAM)
    .map(({ data }) => Buffer.from(data).toString('utf8'));
}
