import {
  ASSOCIATED_TOKEN_PROGRAM_ID,
  getAssociatedTokenAddressSync,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { PublicKey, SystemProgram } from '@solana/web3.js';
import { WRAPPED_SOL } from '../../../chains/addresses';
import type { SolanaInstruction } from '../../quote-provider';

/** The swap that the instructions have to execute. Amount in base units. */
export interface ExpectedSwap {
  /** Program of the aggregator. */
  readonly program: string | undefined;
  readonly sender: string;
  readonly recipient: string;
  /** Mints. */
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly amountIn: bigint;
}

/**
 * Returns what is wrong with the instructions; `undefined` when they are valid. Besides the aggregator's own, which
 * must contain the account of the recipient, only instructions that open accounts, wrap the sold coin and unwrap the
 * remainder are allowed.
 */
export function findInstructionFlaw(
  instructions: readonly SolanaInstruction[],
  expected: ExpectedSwap,
): string | undefined {
  for (const instruction of instructions) {
    const flaw = signerFlaw(instruction, expected) ?? sideFlaw(instruction, expected);
    if (flaw !== undefined) return flaw;
  }
  const own = instructions.filter(({ programId }) => programId === expected.program);
  if (own.length === 0) return 'does not call the aggregator';
  return namesReceiver(own, instructions, expected) ? undefined : 'does not contain the account of the recipient';
}

const signerFlaw = ({ accounts }: SolanaInstruction, { sender }: ExpectedSwap): string | undefined =>
  accounts.some(({ isSigner, pubkey }) => isSigner && pubkey !== sender)
    ? 'requires the signature of another account'
    : undefined;

const TOKEN_PROGRAMS = [TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID];

function sideFlaw(instruction: SolanaInstruction, expected: ExpectedSwap): string | undefined {
  const { programId } = instruction;
  if (programId === expected.program) return undefined;
  const isNeeded = SIDE_PROGRAMS.get(programId);
  if (isNeeded === undefined) return `calls the program ${programId}`;
  const data = Buffer.from(instruction.data, 'base64');
  return isNeeded(instruction.accounts, data, expected)
    ? undefined
    : `calls ${programId} for something else than a swap`;
}

type IsNeeded = (accounts: SolanaInstruction['accounts'], data: Buffer, expected: ExpectedSwap) => boolean;

/** Instruction numbers of the programs. Opening an account may have no data. */
const OPEN_ACCOUNT: ReadonlySet<number | undefined> = new Set([undefined, 0, 1]);
const SYSTEM_TRANSFER = 2;
const CLOSE_ACCOUNT = 9;
const SYNC_NATIVE = 17;
const TRANSFER_BYTES = 12;

const opensAccount: IsNeeded = (_, data) => OPEN_ACCOUNT.has(data[0]);

/** The sold coin goes into the sender's own wrapped-coin account. */
const wraps: IsNeeded = ([from, to], data, { sender, tokenIn, amountIn }) =>
  data.length === TRANSFER_BYTES &&
  data.readUInt32LE(0) === SYSTEM_TRANSFER &&
  data.readBigUInt64LE(4) <= amountIn &&
  tokenIn === WRAPPED_SOL &&
  from?.pubkey === sender &&
  accountsOf(WRAPPED_SOL, sender).includes(to?.pubkey ?? '');

/** Remaining coin goes back to the sender; bought coin may go to the recipient. */
const unwraps: IsNeeded = ([, destination], data, { sender, recipient, tokenOut }) => {
  if (data[0] === SYNC_NATIVE) return true;
  if (data[0] !== CLOSE_ACCOUNT) return false;
  return destination?.pubkey === sender || (tokenOut === WRAPPED_SOL && destination?.pubkey === recipient);
};

const SIDE_PROGRAMS: ReadonlyMap<string, IsNeeded> = new Map([
  [ASSOCIATED_TOKEN_PROGRAM_ID.toBase58(), opensAccount],
  [SystemProgram.programId.toBase58(), wraps],
  ...TOKEN_PROGRAMS.map((program) => [program.toBase58(), unwraps] as const),
]);

/** For bought coin, any instruction may pay the recipient, because it may be unwrapped first. */
function namesReceiver(
  own: readonly SolanaInstruction[],
  all: readonly SolanaInstruction[],
  { sender, recipient, tokenOut }: ExpectedSwap,
): boolean {
  const named = (instructions: readonly SolanaInstruction[], account: string): boolean =>
    instructions.some(({ accounts }) => accounts.some(({ pubkey }) => pubkey === account));
  if (tokenOut === WRAPPED_SOL) return recipient === sender || named(all, recipient);
  return accountsOf(tokenOut, recipient).some((account) => named(own, account));
}

/** The default token accounts of an owner under both token programs. */
const accountsOf = (mint: string, owner: string): readonly string[] =>
  TOKEN_PROGRAMS.map((program) =>
    getAssociatedTokenAddressSync(new PublicKey(mint), new PublicKey(owner), true, program).toBase58(),
  );
