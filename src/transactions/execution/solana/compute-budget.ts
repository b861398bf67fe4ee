import { ComputeBudgetProgram } from '@solana/web3.js';
import type { SolanaInstruction } from '../../../venues/quote-provider';
import { fromLibrary } from './instructions';

/** The most that a transaction may compute. */
export const MOST_UNITS = 1_400_000n;
/** Millionths of a lamport for a unit: even an idle network includes what pays a little before what pays nothing. */
const LEAST_PRICE = 10_000n;
/** The most that is ever paid for priority, in lamports: a thousandth of a SOL. */
const MOST_PRIORITY_LAMPORTS = 1_000_000n;
const MILLION = 1_000_000n;

export interface ComputeBudget {
  readonly unitLimit: bigint;
  /** Millionths of a lamport. */
  readonly unitPrice: bigint;
}

/** Room for what callers who compose the transaction themselves add to a small one: a transfer, a memo. */
const LEAST_MARGIN = 10_000n;

/** A fifth more than a simulation used: accounts change, and a limit that is met costs the whole fee for nothing. */
export function limitFor(units: bigint): bigint {
  const fifth = (units + 4n) / 5n;
  const limit = units + (fifth > LEAST_MARGIN ? fifth : LEAST_MARGIN);
  return limit < MOST_UNITS ? limit : MOST_UNITS;
}

/** What others paid of late, within bounds. */
export function priceFor(recent: bigint, unitLimit: bigint): bigint {
  const most = (MOST_PRIORITY_LAMPORTS * MILLION) / unitLimit;
  const wanted = recent > LEAST_PRICE ? recent : LEAST_PRICE;
  return wanted < most ? wanted : most;
}

export const budgetInstructions = ({ unitLimit, unitPrice }: ComputeBudget): readonly SolanaInstruction[] =>
  [
    ComputeBudgetProgram.setComputeUnitLimit({ units: Number.parseInt(unitLimit.toString(), 10) }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: unitPrice }),
  ].map(fromLibrary);
