import {
  type FailedTransactionMetadata,
  InstructionErrorBorshIo,
  InstructionErrorCustom,
  TransactionErrorDuplicateInstruction,
  TransactionErrorInstructionError,
  TransactionErrorInsufficientFundsForRent,
} from 'litesvm/dist/internal';
import { INSTRUCTION_ERRORS, TRANSACTION_ERRORS } from './error-names';

/** Why a transaction failed, as nodes write it: `"BlockhashNotFound"`, `{"InstructionError":[0,{"Custom":1}]}`. */
export type TransactionError = string | Readonly<Record<string, unknown>>;

export function transactionError(failed: FailedTransactionMetadata): TransactionError {
  const error = failed.err();
  if (error instanceof TransactionErrorInstructionError) {
    return { InstructionError: [error.index, instructionError(error)] };
  }
  if (error instanceof TransactionErrorDuplicateInstruction) return { DuplicateInstruction: error.index };
  if (error instanceof TransactionErrorInsufficientFundsForRent) {
    return { InsufficientFundsForRent: { account_index: error.accountIndex } };
  }
  if (typeof error === 'object') {
    return { ProgramExecutionTemporarilyRestricted: { account_index: error.accountIndex } };
  }
  return TRANSACTION_ERRORS[error] ?? 'SanitizeFailure';
}

function instructionError(failure: TransactionErrorInstructionError): TransactionError {
  const error = failure.err();
  if (error instanceof InstructionErrorCustom) return { Custom: error.code };
  if (error instanceof InstructionErrorBorshIo) return 'BorshIoError';
  return INSTRUCTION_ERRORS[error] ?? 'GenericError';
}

/** Messages of nodes for common errors; other errors are described by their name. */
const NODE_MESSAGES: Readonly<Record<string, string>> = {
  AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
  AlreadyProcessed: 'This transaction has already been processed',
  BlockhashNotFound: 'Blockhash not found',
  InsufficientFundsForFee: 'Insufficient funds for fee',
  InvalidProgramForExecution: 'This program may not be used for executing instructions',
  ProgramAccountNotFound: 'Attempt to load a program that does not exist',
  SignatureFailure: 'Transaction did not pass signature verification',
};

/** The message of a node for the error. */
export function describeTransactionError(error: TransactionError): string {
  if (typeof error === 'string') return NODE_MESSAGES[error] ?? spaced(error);
  const { InstructionError: failure, InsufficientFundsForRent: rent } = error;
  if (Array.isArray(failure)) {
    return `Error processing Instruction ${String(failure[0])}: ${describeInstruction(failure[1])}`;
  }
  if (typeof rent === 'object' && rent !== null && 'account_index' in rent) {
    return `Transaction results in an account (${String(rent.account_index)}) with insufficient funds for rent`;
  }
  return JSON.stringify(error);
}

function describeInstruction(error: unknown): string {
  if (typeof error === 'string') return spaced(error).toLowerCase();
  const code = typeof error === 'object' && error !== null && 'Custom' in error ? error.Custom : 0;
  return `custom program error: 0x${typeof code === 'number' ? code.toString(16) : '0'}`;
}

const spaced = (name: string): string => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');
