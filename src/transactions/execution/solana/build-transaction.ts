import { PublicKey, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { invariant } from '../../../errors/invariant-error';
import { isServiceError, serviceError } from '../../../errors/service-error';
import type { BuiltSolanaTransaction, SolanaTransactionRequest } from '../output-builders';
import type { SolanaInstruction, SolanaProgramCall } from '../../../venues/quote-provider';
import type { SimulationView } from '../../../quotes/quote-view';
import { explainError } from '../../../rpc/solana/explain-error';
import type { SolanaRpc } from '../../../rpc/solana/solana-rpc';
import { budgetInstructions, computeUnitLimit, MAX_COMPUTE_UNITS, computeUnitPrice } from './compute-budget';
import {
  isComputeBudget,
  isSameInstruction,
  parsePublicKey,
  lookupTableAccounts,
  memoInstruction,
  toWeb3Instruction,
} from './instructions';
import { referenceInstruction, actionReference } from './reference';

export interface SolanaTransactionDeps {
  readonly solana: Pick<SolanaRpc, 'latestBlockhash' | 'simulate' | 'recentPriorityFee'>;
}

/**
 * Builds a simulated Solana transaction from instructions, with a compute limit that fits, a price per unit near what
 * others paid recently, a fresh blockhash and the reference of its action.
 *
 * @throws BYTECODE_GENERATION_FAILED when no transaction can hold the instructions; PROVIDER_UNAVAILABLE when the chain
 * returned no blockhash
 */
export async function buildSolanaTransaction(
  deps: SolanaTransactionDeps,
  { program, actionId, memo, signal }: SolanaTransactionRequest,
): Promise<BuiltSolanaTransaction> {
  const { chainId, lookupTables } = program;
  const reference = actionReference(actionId);
  const core = [...withMemo(program, memo), referenceInstruction(program.from, reference)];
  const compose = composer(program, core);
  const [trial, recentPrice, { blockhash, lastValidBlockHeight }] = await Promise.all([
    simulateTransaction(deps, {
      chainId,
      transaction: compose(SIMULATION_BUDGET, ANY_BLOCKHASH).rawTransaction,
      signal,
    }),
    readRecentPrice(deps, { chainId, core, signal }),
    deps.solana.latestBlockhash(chainId, signal),
  ]);
  const computeUnits = trial.units === undefined ? undefined : computeUnitLimit(trial.units);
  const unitLimit = computeUnits ?? MAX_COMPUTE_UNITS;
  const composed = compose({ unitLimit, unitPrice: computeUnitPrice(recentPrice, unitLimit) }, blockhash);
  const { simulation } = trial;
  return { ...composed, lookupTables, reference, lastValidBlockHeight, simulation, computeUnits };
}

function withMemo({ instructions }: SolanaProgramCall, memo: string | undefined): readonly SolanaInstruction[] {
  const own = instructions.filter((instruction) => !isComputeBudget(instruction));
  if (memo === undefined) return own;
  const memoToAdd = memoInstruction(memo);
  return own.some((instruction) => isSameInstruction(instruction, memoToAdd)) ? own : [...own, memoToAdd];
}

const SIMULATION_BUDGET = { unitLimit: MAX_COMPUTE_UNITS, unitPrice: 0n };
/** The simulation replaces it by a valid blockhash. */
const ANY_BLOCKHASH = PublicKey.default.toBase58();

type Compose = (
  budget: Parameters<typeof budgetInstructions>[0],
  blockhash: string,
) => Pick<BuiltSolanaTransaction, 'rawTransaction' | 'instructions'>;

/** @throws BYTECODE_GENERATION_FAILED, also from the function returned */
function composer({ from, lookupTables }: SolanaProgramCall, core: readonly SolanaInstruction[]): Compose {
  const [payerKey, tables] = [parsePublicKey(from), lookupTableAccounts(lookupTables)];
  return (budget, recentBlockhash) => {
    const instructions = [...budgetInstructions(budget), ...core];
    const message = compiled({ payerKey, recentBlockhash, instructions: instructions.map(toWeb3Instruction) }, tables);
    if (message.header.numRequiredSignatures !== 1)
      throw buildError('it requires a signature of an account other than the sender');
    return { rawTransaction: serialized(new VersionedTransaction(message)), instructions };
  };
}

function compiled(
  parts: ConstructorParameters<typeof TransactionMessage>[0],
  tables: ReturnType<typeof lookupTableAccounts>,
) {
  try {
    return new TransactionMessage(parts).compileToV0Message(tables);
  } catch (cause) {
    throw buildError('it has more accounts than a transaction can hold', cause);
  }
}

const MAX_TRANSACTION_BYTES = 1232;

function serialized(transaction: VersionedTransaction): string {
  const bytes = bytesOf(transaction);
  if (bytes === undefined || bytes.length > MAX_TRANSACTION_BYTES) {
    throw buildError(`it is larger than the ${MAX_TRANSACTION_BYTES} bytes of a Solana transaction`);
  }
  return Buffer.from(bytes).toString('base64');
}

/** `undefined` when the transaction exceeds the library's buffer. */
function bytesOf(transaction: VersionedTransaction): Uint8Array | undefined {
  try {
    return transaction.serialize();
  } catch {
    return undefined;
  }
}

const buildError = (reason: string, cause?: unknown) =>
  serviceError('BYTECODE_GENERATION_FAILED', { reason }, { cause });

interface TransactionSimulation {
  readonly simulation: SimulationView;
  readonly units: bigint | undefined;
}

/** A transaction that could not be simulated is still returned. */
async function simulateTransaction(
  { solana }: SolanaTransactionDeps,
  { chainId, transaction, signal }: { chainId: number; transaction: string; signal: AbortSignal },
): Promise<TransactionSimulation> {
  const tried = await solana.simulate(chainId, transaction, signal).catch((error: unknown) => {
    if (isServiceError(error)) return error.message;
    throw error;
  });
  if (typeof tried === 'string') return { simulation: { status: 'UNAVAILABLE', reason: tried }, units: undefined };
  if (tried.error === null) return { simulation: { status: 'SUCCESS', reason: undefined }, units: tried.units };
  const { reason, kind } = explainError(tried.error, tried.logs);
  const status = kind === 'funds' ? 'INSUFFICIENT_BALANCE' : 'REVERTED';
  return { simulation: { status, reason }, units: undefined };
}

/** 0 when unknown: the minimum price is paid then. */
async function readRecentPrice(
  { solana }: SolanaTransactionDeps,
  request: { chainId: number; core: readonly SolanaInstruction[]; signal: AbortSignal },
): Promise<bigint> {
  const { chainId, core, signal } = request;
  const written = core.flatMap(({ accounts }) => accounts.filter(({ isWritable }) => isWritable));
  invariant(written.length > 0, 'a transaction writes the account of its payer');
  try {
    return await solana.recentPriorityFee(chainId, [...new Set(written.map(({ pubkey }) => pubkey))], signal);
  } catch (error) {
    if (isServiceError(error)) return 0n;
    throw error;
  }
}
