import { ComputeBudgetProgram } from '@solana/web3.js';
import type { SolanaInstruction } from '../../../venues/quote-provider';
import { fromWeb3Instruction } from './instructions';
import { maxBigInt, minBigInt } from '../../../money/min-max';

/** Maximum compute units of a transaction. */
export const MAX_COMPUTE_UNITS = 1_400_000n;
/** Millionths of a lamport per unit. Even an idle network includes paying transactions first. */
const MIN_UNIT_PRICE = 10_000n;
/** Maximum priority fee, in lamports: a thousandth of a SOL. */
const MAX_PRIORITY_LAMPORTS = 1_000_000n;
const MILLION = 1_000_000n;

interface ComputeBudget {
  readonly unitLimit: bigint;
  /** Millionths of a lamport. */
  readonly unitPrice: bigint;
}

/** Compute units for instructions that callers may add to a small transaction, such as a transfer or a memo. */
const MIN_MARGIN = 10_000n;

/** A fifth more than the simulation used: accounts change, and a transaction that hits its limit fails but pays its fee. */
export function computeUnitLimit(units: bigint): bigint {
  const fifth = (units + 4n) / 5n;
  const limit = units + maxBigInt(fifth, MIN_MARGIN);
  return minBigInt(limit, MAX_COMPUTE_UNITS);
}

/** What others paid recently, within bounds. */
export function computeUnitPrice(recent: bigint, unitLimit: bigint): bigint {
  const maxPrice = (MAX_PRIORITY_LAMPORTS * MILLION) / unitLimit;
  const price = maxBigInt(recent, MIN_UNIT_PRICE);
  return minBigInt(price, maxPrice);
}

export const budgetInstructions = ({ unitLimit, unitPrice }: ComputeBudget): readonly SolanaInstruction[] =>
  [
    ComputeBudgetProgram.setComputeUnitLimit({ units: Number.parseInt(unitLimit.toString(), 10) }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: unitPrice }),
  ].map(fromWeb3Instruction);
