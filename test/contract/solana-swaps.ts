import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import {
  AddressLookupTableAccount,
  type Connection,
  type Keypair,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { WRAPPED_SOL } from '../../src/chains/addresses';
import type { SolanaProgramCall } from '../../src/venues/quote-provider';

/** The balance of a wallet in base units of the token, in lamports for SOL. */
export async function solanaBalance(connection: Connection, mint: string, owner: string): Promise<bigint> {
  const wallet = new PublicKey(owner);
  if (mint === WRAPPED_SOL) return BigInt(await connection.getBalance(wallet));
  const account = getAssociatedTokenAddressSync(new PublicKey(mint), wallet, true);
  const { value } = await connection.getTokenAccountBalance(account).catch(() => ({ value: { amount: '0' } }));
  return BigInt(value.amount);
}

/** Signs and sends the instructions of a provider as one transaction. Resolves to its fee in lamports. */
export async function sendProgramCall(
  connection: Connection,
  signer: Keypair,
  call: SolanaProgramCall,
): Promise<bigint> {
  const { blockhash } = await connection.getLatestBlockhash('confirmed');
  const instructions = call.instructions.map(
    ({ programId, accounts, data }) =>
      new TransactionInstruction({
        programId: new PublicKey(programId),
        keys: accounts.map(({ pubkey, ...flags }) => ({ pubkey: new PublicKey(pubkey), ...flags })),
        data: Buffer.from(data, 'base64'),
      }),
  );
  const tables = await Promise.all(
    Object.keys(call.lookupTables).map((address) => connection.getAddressLookupTable(new PublicKey(address))),
  );
  const lookupTables = tables.flatMap(({ value }) => (value instanceof AddressLookupTableAccount ? [value] : []));
  const message = new TransactionMessage({ payerKey: signer.publicKey, recentBlockhash: blockhash, instructions });
  const transaction = new VersionedTransaction(message.compileToV0Message(lookupTables));
  return signAndSend(connection, signer, transaction);
}

/** Signs and sends a transaction. Resolves to its fee in lamports. */
export async function signAndSend(
  connection: Connection,
  signer: Keypair,
  transaction: VersionedTransaction,
): Promise<bigint> {
  transaction.sign([signer]);
  const signature = await connection.sendTransaction(transaction);
  for (let poll = 0; poll < 100; poll++) {
    const found = await connection.getTransaction(signature, {
      commitment: 'confirmed',
      maxSupportedTransactionVersion: 0,
    });
    if (found?.meta?.err) throw new Error(JSON.stringify(found.meta.err));
    if (found?.meta) return BigInt(found.meta.fee);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the transaction was not confirmed');
}
