import { ComputeBudgetProgram, type VersionedMessage } from '@solana/web3.js';
import { minBigInt } from '../../src/money/min-max';

export const LAMPORTS_A_SIGNATURE = 5000n;
const MAX_UNITS = 1_400_000n;
const DEFAULT_UNITS = 200_000n;
const SET_LIMIT = 2;
const SET_PRICE = 3;

export interface ComputeBudget {
  readonly unitLimit: bigint;
  /** Millionths of a lamport. */
  readonly unitPrice: bigint;
}

/** The compute budget that a message requests. */
export function computeBudgetOf(message: VersionedMessage): ComputeBudget {
  const others = message.compiledInstructions.filter((instruction) => !isBudget(message, instruction));
  let unitLimit = BigInt(others.length) * DEFAULT_UNITS;
  let unitPrice = 0n;
  for (const instruction of message.compiledInstructions) {
    const data = Buffer.from(instruction.data);
    if (!isBudget(message, instruction)) continue;
    if (data[0] === SET_LIMIT && data.length >= 5) unitLimit = BigInt(data.readUInt32LE(1));
    if (data[0] === SET_PRICE && data.length >= 9) unitPrice = data.readBigUInt64LE(1);
  }
  return { unitLimit: minBigInt(unitLimit, MAX_UNITS), unitPrice };
}

/** Lamports that the payer of a message is charged. */
export function feeOf(message: VersionedMessage): bigint {
  const { unitLimit, unitPrice } = computeBudgetOf(message);
  const priority = (unitLimit * unitPrice + 999_999n) / 1_000_000n;
  return BigInt(message.header.numRequiredSignatures) * LAMPORTS_A_SIGNATURE + priority;
}

const isBudget = (message: VersionedMessage, { programIdIndex }: { readonly programIdIndex: number }): boolean =>
  message.staticAccountKeys[programIdIndex]?.equals(ComputeBudgetProgram.programId) === true;
