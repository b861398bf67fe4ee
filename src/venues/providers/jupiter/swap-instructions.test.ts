import {
  createApproveInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createSetAuthorityInstruction,
  createSyncNativeInstruction,
  createTransferCheckedInstruction,
  AuthorityType,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
} from '@solana/spl-token';
import { Keypair, type PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import type { SolanaInstruction } from '../../quote-provider';
import { findInstructionFlaw, type ExpectedSwap } from './swap-instructions';

const [sender, recipient, thief, mint, program] = Array.from({ length: 5 }, () => Keypair.generate().publicKey) as [
  PublicKey,
  PublicKey,
  PublicKey,
  PublicKey,
  PublicKey,
];
const [sold, bought] = [
  getAssociatedTokenAddressSync(NATIVE_MINT, sender, true),
  getAssociatedTokenAddressSync(mint, recipient, true),
];
const AMOUNT = 1_000_000n;

/** Coin for a token, for another wallet. */
const expected = (changes: Partial<ExpectedSwap> = {}): ExpectedSwap => ({
  program: program.toBase58(),
  sender: sender.toBase58(),
  recipient: recipient.toBase58(),
  tokenIn: NATIVE_MINT.toBase58(),
  tokenOut: mint.toBase58(),
  amountIn: AMOUNT,
  ...changes,
});
const written = ({ programId, keys, data }: TransactionInstruction): SolanaInstruction => ({
  programId: programId.toBase58(),
  accounts: keys.map(({ pubkey, ...rest }) => ({ ...rest, pubkey: pubkey.toBase58() })),
  data: data.toString('base64'),
});
const swapTo = (account: PublicKey) =>
  new TransactionInstruction({
    programId: program,
    keys: [sender, sold, account].map((pubkey) => ({ pubkey, isSigner: pubkey === sender, isWritable: true })),
    data: Buffer.from([1, 2, 3]),
  });
const pay = (toPubkey: PublicKey, lamports: bigint = AMOUNT) =>
  SystemProgram.transfer({ fromPubkey: sender, toPubkey, lamports });
const honest = [
  createAssociatedTokenAccountIdempotentInstruction(sender, sold, sender, NATIVE_MINT),
  pay(sold),
  createSyncNativeInstruction(sold),
  swapTo(bought),
  createCloseAccountInstruction(sold, sender, sender),
];
const flawOf = (instructions: readonly TransactionInstruction[], changes?: Partial<ExpectedSwap>) =>
  findInstructionFlaw(instructions.map(written), expected(changes));

describe('the instructions of a swap', () => {
  it('open accounts, wrap the sold SOL, swap, and unwrap the remainder', () => {
    expect(flawOf(honest)).toBeUndefined();
  });

  it('pay the bought native coin to the recipient', () => {
    const toCoin = [swapTo(sold), createCloseAccountInstruction(sold, recipient, sender)];
    const coin = { tokenIn: mint.toBase58(), tokenOut: NATIVE_MINT.toBase58() };
    expect(flawOf(toCoin, coin)).toBeUndefined();
    expect(flawOf([swapTo(sold)], coin)).toContain('does not contain the account of the recipient');
    expect(flawOf([swapTo(sold)], { ...coin, recipient: sender.toBase58() })).toBeUndefined();
  });

  const nested = new TransactionInstruction({
    programId: honest[0]!.programId,
    keys: honest[0]!.keys,
    data: Buffer.from([2]),
  });
  it.each<[string, TransactionInstruction]>([
    ['pays coin to somebody', pay(thief)],
    ['wraps more coin than is sold', pay(sold, AMOUNT + 1n)],
    ['hands an account of the wallet to a program', SystemProgram.assign({ accountPubkey: sender, programId: thief })],
    ['transfers a token', createTransferCheckedInstruction(sold, mint, thief, sender, 1n, 6)],
    ['lets somebody spend a token', createApproveInstruction(sold, thief, sender, 1n)],
    ['gives an account away', createSetAuthorityInstruction(sold, sender, AuthorityType.AccountOwner, thief)],
    ['closes an account in favour of somebody', createCloseAccountInstruction(sold, thief, sender)],
    ['moves what lies in nested accounts', nested],
  ])('are refused when one of them %s', (_, instruction) => {
    for (const instructions of [
      [instruction, ...honest],
      [...honest, instruction],
    ]) {
      expect(flawOf(instructions)).toContain('for something else than a swap');
    }
  });

  it('are refused when a token is sold and coin is moved all the same', () => {
    const tokens = { tokenIn: thief.toBase58() };
    expect(flawOf([swapTo(bought)], tokens)).toBeUndefined();
    expect(flawOf([pay(sold), swapTo(bought)], tokens)).toContain('for something else than a swap');
  });

  it('are refused when they pay another account, call an unknown or missing program, or need another signature', () => {
    expect(flawOf([swapTo(getAssociatedTokenAddressSync(mint, thief, true))])).toContain('recipient');
    const foreign = new TransactionInstruction({ programId: thief, keys: swapTo(bought).keys });
    expect(flawOf([swapTo(bought), foreign])).toContain(`calls the program ${thief.toBase58()}`);
    expect(flawOf(honest.slice(0, 3))).toContain('does not call the aggregator');
    const signed = swapTo(bought);
    signed.keys[1]!.isSigner = true;
    expect(flawOf([signed])).toContain('the signature of another');
  });
});
