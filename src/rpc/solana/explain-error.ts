import { TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { SystemProgram } from '@solana/web3.js';
import type { TransactionError } from './wire';

/** Class of a transaction failure, where callers distinguish it. */
export type TroubleKind = 'slippage' | 'compute' | 'funds' | 'expired';

/** A transaction failure, as text for its sender. */
export interface Trouble {
  readonly reason: string;
  readonly kind: TroubleKind | undefined;
}

const trouble = (reason: string, kind?: TroubleKind): Trouble => ({ reason, kind });

/** Errors of the transaction as a whole. */
const OF_TRANSACTION: Readonly<Record<string, Trouble>> = {
  AccountNotFound: trouble('the sender has no SOL to pay the fee', 'funds'),
  InsufficientFundsForFee: trouble('the sender has too little SOL to pay the fee', 'funds'),
  InvalidAccountForFee: trouble('the sender is not a wallet: it cannot pay fees'),
  BlockhashNotFound: trouble('the transaction was sent too late: its blockhash has expired', 'expired'),
  AlreadyProcessed: trouble('the transaction was processed before'),
  InsufficientFundsForRent: trouble('an account would have less SOL than its minimum balance', 'funds'),
};

/** Errors that every program reports in the same way. */
const OF_INSTRUCTION: Readonly<Record<string, Trouble>> = {
  ComputationalBudgetExceeded: trouble('it ran out of compute units', 'compute'),
  ProgramFailedToComplete: trouble('the program did not finish'),
  InsufficientFunds: trouble('the funds are not sufficient', 'funds'),
  MissingRequiredSignature: trouble('a signature is missing'),
};

const SYSTEM = SystemProgram.programId.toBase58();
const TOKEN_PROGRAMS: readonly string[] = [TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID].map((program) =>
  program.toBase58(),
);
/** Error codes of the token programs that users can resolve. */
const OF_TOKENS: Readonly<Record<number, Trouble>> = {
  1: trouble('the tokens are not sufficient', 'funds'),
  4: trouble('the token account has another owner'),
  17: trouble('the token account is frozen'),
};
const SYSTEM_TOO_FEW_LAMPORTS = 1;

/**
 * Explains an error with the help of the program logs: the first program that failed reported the code, and its own
 * message is preferred to the table.
 */
export function explainError(error: TransactionError, logs: readonly string[]): Trouble {
  const [name = '', detail] = typeof error === 'string' ? [error] : (Object.entries(error)[0] ?? []);
  if (name === 'InstructionError' && Array.isArray(detail)) return ofInstruction(detail[1], logs);
  return OF_TRANSACTION[name] ?? trouble(spaced(name));
}

function ofInstruction(failure: unknown, logs: readonly string[]): Trouble {
  if (typeof failure !== 'string') return ofProgram(codeOf(failure), logs);
  return OF_INSTRUCTION[failure] ?? trouble(loggedMessage(logs) ?? spaced(failure));
}

function codeOf(failure: unknown): number {
  const code = typeof failure === 'object' && failure !== null && 'Custom' in failure ? failure.Custom : undefined;
  return typeof code === 'number' ? code : 0;
}

function ofProgram(code: number, logs: readonly string[]): Trouble {
  const program = failedProgram(logs);
  if (program === SYSTEM && code === SYSTEM_TOO_FEW_LAMPORTS)
    return trouble('the SOL balance is not sufficient', 'funds');
  const tokenError = TOKEN_PROGRAMS.includes(program ?? '') ? OF_TOKENS[code] : undefined;
  if (tokenError !== undefined) return tokenError;
  const message = loggedMessage(logs);
  if (message === undefined) return trouble(`the program ${program ?? 'called'} failed with code ${code}`);
  return trouble(message, /slippage/i.test(message) ? 'slippage' : undefined);
}

/** The first program to fail: its callers fail after it. */
function failedProgram(logs: readonly string[]): string | undefined {
  for (const line of logs) {
    const [, program] = /^Program (\w{32,44}) failed: /.exec(line) ?? [];
    if (program !== undefined) return program;
  }
  return undefined;
}

const MAX_MESSAGE = 200;

/** The program's own error message. Programs are untrusted: it is shortened to one line. */
function loggedMessage(logs: readonly string[]): string | undefined {
  const line = logs.findLast((each) => /Error Message: |Program log: Error: /.test(each));
  const message = line?.replace(/^.*?(?:Error Message: |Program log: Error: )/, '').replaceAll(/[\p{C}\s]+/gu, ' ');
  return message === undefined || message.trim() === '' ? undefined : message.trim().slice(0, MAX_MESSAGE);
}

const spaced = (name: string): string => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
