import { PublicKey, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { invariant } from '../../../errors/invariant-error';
import { isServiceError, serviceError } from '../../../errors/service-error';
import type { SolanaInstruction, SolanaProgramCall } from '../../../venues/quote-provider';
import type { SimulationView } from '../../../quotes/quote-view';
import { explainError } from '../../../rpc/solana/explain-error';
import type { SolanaRpc } from '../../../rpc/solana/solana-rpc';
import { budgetInstructions, limitFor, MOST_UNITS, priceFor } from './compute-budget';
import {
  isComputeBudget,
  isSameInstruction,
  keyOf,
  lookupTableAccounts,
  memoInstruction,
  toLibrary,
} from './instructions';
import { referenceInstruction, referenceOf } from './reference';

export interface ExecutableProgramDeps {
  readonly solana: Pick<SolanaRpc, 'latestBlockhash' | 'simulate' | 'recentPriorityFee'>;
}

export interface ExecutableProgramRequest {
  readonly program: SolanaProgramCall;
  readonly actionId: string;
  /** Added unless the program has it already. */
  readonly memo?: string | undefined;
  readonly signal: AbortSignal;
}

/** A transaction on Solana that can be signed. */
export interface BuiltSolanaProgram {
  /** Version 0 in base64, the place of the signature empty. */
  readonly rawTransaction: string;
  /** All of them in order: compute limit and price, the program's, memo and reference. */
  readonly instructions: readonly SolanaInstruction[];
  readonly lookupTables: Readonly<Record<string, readonly string[]>>;
  /** Account that only this transaction names. */
  readonly reference: string;
  /** Height of the last block that may hold the transaction. */
  readonly lastValidBlockHeight: number;
  readonly simulation: SimulationView;
  /** Compute units with a margin; `undefined` when the simulation did not succeed. */
  readonly computeUnits: bigint | undefined;
}

/**
 * Makes instructions into a transaction: tried on chain, with the compute units that it needs and a price for them that
 * others lately paid, a blockhash of this moment, and the reference of its action.
 *
 * @throws BYTECODE_GENERATION_FAILED when no transaction can hold the instructions; PROVIDER_UNAVAILABLE when the chain
 * could not be asked for a blockhash
 */
export async function executableProgram(
  deps: ExecutableProgramDeps,
  { program, actionId, memo, signal }: ExecutableProgramRequest,
): Promise<BuiltSolanaProgram> {
  const { chainId, lookupTables } = program;
  const reference = referenceOf(actionId);
  const core = [...withMemo(program, memo), referenceInstruction(program.from, reference)];
  const compose = composer(program, core);
  const [trial, recentPrice, { blockhash, lastValidBlockHeight }] = await Promise.all([
    tryOut(deps, { chainId, transaction: compose(TRIAL_BUDGET, ANY_BLOCKHASH).rawTransaction, signal }),
    recentPriceOf(deps, { chainId, core, signal }),
    deps.solana.latestBlockhash(chainId, signal),
  ]);
  const computeUnits = trial.units === undefined ? undefined : limitFor(trial.units);
  const unitLimit = computeUnits ?? MOST_UNITS;
  const composed = compose({ unitLimit, unitPrice: priceFor(recentPrice, unitLimit) }, blockhash);
  const { simulation } = trial;
  return { ...composed, lookupTables, reference, lastValidBlockHeight, simulation, computeUnits };
}

function withMemo({ instructions }: SolanaProgramCall, memo: string | undefined): readonly SolanaInstruction[] {
  const own = instructions.filter((instruction) => !isComputeBudget(instruction));
  if (memo === undefined) return own;
  const wanted = memoInstruction(memo);
  return own.some((instruction) => isSameInstruction(instruction, wanted)) ? own : [...own, wanted];
}

const TRIAL_BUDGET = { unitLimit: MOST_UNITS, unitPrice: 0n };
/** The simulation puts a valid one in its place. */
const ANY_BLOCKHASH = PublicKey.default.toBase58();

type Compose = (
  budget: Parameters<typeof budgetInstructions>[0],
  blockhash: string,
) => Pick<BuiltSolanaProgram, 'rawTransaction' | 'instructions'>;

/** @throws BYTECODE_GENERATION_FAILED, when called as well */
function composer({ from, lookupTables }: SolanaProgramCall, core: readonly SolanaInstruction[]): Compose {
  const [payerKey, tables] = [keyOf(from), lookupTableAccounts(lookupTables)];
  return (budget, recentBlockhash) => {
    const instructions = [...budgetInstructions(budget), ...core];
    const message = compiled({ payerKey, recentBlockhash, instructions: instructions.map(toLibrary) }, tables);
    if (message.header.numRequiredSignatures !== 1) throw notBuilt('it would need the signature of somebody else');
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
    throw notBuilt('it names more accounts than a transaction can', cause);
  }
}

const MOST_BYTES = 1232;

function serialized(transaction: VersionedTransaction): string {
  const bytes = bytesOf(transaction);
  if (bytes === undefined || bytes.length > MOST_BYTES) {
    throw notBuilt(`it is larger than the ${MOST_BYTES} bytes of a Solana transaction`);
  }
  return Buffer.from(bytes).toString('base64');
}

/** `undefined` when it does not even fit into the library's buffer. */
function bytesOf(transaction: VersionedTransaction): Uint8Array | undefined {
  try {
    return transaction.serialize();
  } catch {
    return undefined;
  }
}

const notBuilt = (reason: string, cause?: unknown) => serviceError('BYTECODE_GENERATION_FAILED', { reason }, { cause });

interface Trial {
  readonly simulation: SimulationView;
  readonly units: bigint | undefined;
}

/** A chain that cannot try the transaction does not keep it from being handed out. */
async function tryOut(
  { solana }: ExecutableProgramDeps,
  { chainId, transaction, signal }: { chainId: number; transaction: string; signal: AbortSignal },
): Promise<Trial> {
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

/** 0 when nobody knows: the least price is paid then. */
async function recentPriceOf(
  { solana }: ExecutableProgramDeps,
  question: { chainId: number; core: readonly SolanaInstruction[]; signal: AbortSignal },
): Promise<bigint> {
  const { chainId, core, signal } = question;
  const written = core.flatMap(({ accounts }) => accounts.filter(({ isWritable }) => isWritable));
  invariant(written.length > 0, 'a transaction writes its payer');
  try {
    return await solana.recentPriorityFee(chainId, [...new Set(written.map(({ pubkey }) => pubkey))], signal);
  } catch (error) {
    if (isServiceError(error)) return 0n;
    throw error;
  }
}
