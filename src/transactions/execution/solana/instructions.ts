import { AddressLookupTableAccount, ComputeBudgetProgram, PublicKey, TransactionInstruction } from '@solana/web3.js';
import { parseSolanaAddress } from '../../../chains/addresses';
import { serviceError } from '../../../errors/service-error';
import type { SolanaInstruction } from '../../../venues/quote-provider';

/** The memo program, in the version that takes any text and names no accounts. */
export const MEMO_PROGRAM = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const COMPUTE_BUDGET = ComputeBudgetProgram.programId.toBase58();

/** Converts an instruction of web3.js to the form of providers and callers. */
export const fromWeb3Instruction = ({ programId, keys, data }: TransactionInstruction): SolanaInstruction => ({
  programId: programId.toBase58(),
  accounts: keys.map(({ pubkey, isSigner, isWritable }) => ({ pubkey: pubkey.toBase58(), isSigner, isWritable })),
  data: data.toString('base64'),
});

/** Converts to an instruction of web3.js. @throws BYTECODE_GENERATION_FAILED for an invalid address */
export const toWeb3Instruction = ({ programId, accounts, data }: SolanaInstruction): TransactionInstruction =>
  new TransactionInstruction({
    programId: parsePublicKey(programId),
    keys: accounts.map(({ pubkey, isSigner, isWritable }) => ({
      pubkey: parsePublicKey(pubkey),
      isSigner,
      isWritable,
    })),
    data: Buffer.from(data, 'base64'),
  });

/** @throws BYTECODE_GENERATION_FAILED */
export function parsePublicKey(address: string): PublicKey {
  const parsed = parseSolanaAddress(address);
  if (parsed !== undefined) return new PublicKey(parsed);
  throw serviceError('BYTECODE_GENERATION_FAILED', { reason: 'an instruction contains an invalid address' });
}

/** The text as an instruction to the memo program. */
export const memoInstruction = (memo: string): SolanaInstruction => ({
  programId: MEMO_PROGRAM.toBase58(),
  accounts: [],
  data: Buffer.from(memo, 'utf8').toString('base64'),
});

export const isSameInstruction = (a: SolanaInstruction, b: SolanaInstruction): boolean =>
  a.programId === b.programId && a.data === b.data && a.accounts.length === b.accounts.length;

/** True for compute limit and price, which are set when the transaction is composed. */
export const isComputeBudget = ({ programId }: SolanaInstruction): boolean => programId === COMPUTE_BUDGET;

/** Lookup tables with these addresses, as active tables of web3.js. */
export const lookupTableAccounts = (tables: Readonly<Record<string, readonly string[]>>): AddressLookupTableAccount[] =>
  Object.entries(tables).map(
    ([address, addresses]) =>
      new AddressLookupTableAccount({
        key: parsePublicKey(address),
        state: {
          deactivationSlot: 2n ** 64n - 1n,
          lastExtendedSlot: 0,
          lastExtendedSlotStartIndex: 0,
          addresses: addresses.map(parsePublicKey),
        },
      }),
  );
