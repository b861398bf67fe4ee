import { type Hex, TransactionNotFoundError } from 'viem';
import { type Actor, recordAudit } from '../auth/audit-log';
import type { CustomerId } from '../auth/principal';
import { isSolanaSignature } from '../chains/solana-signature';
import { serviceError, type ServiceError } from '../errors/service-error';
import { validationError } from '../errors/validation';
import { Prisma } from '../persistence/client/client';
import { runForService } from '../persistence/customer-scope';
import type { Transaction } from '../persistence/database';
import type { Rpc } from '../rpc/rpc';
import type { ActionRow } from './action-row';
import { type ActionView, actionView } from './action-view';
import { findActionRow } from './get-action';
import { readReceipt } from '../rpc/read-receipt';
import { assignSharedCall, bindNonce } from './assign-shared-call';
import { checkSolanaReport, type SolanaReportDeps } from './check-solana-report';
import {
  type CarriedOutStep,
  findCarriedOutStep,
  findIssuedCall,
  type MinedReport,
  type ReportedTransaction,
} from './reported-step';
import { recordExecution } from './state/record-execution';

export interface ReportDeps extends SolanaReportDeps {
  readonly rpc: Rpc;
}

export interface TransactionReport {
  readonly customerId: CustomerId;
  readonly actionId: string;
  readonly txHash: string;
  /** The user of the dashboard who reports it. */
  readonly actor?: Actor | undefined;
}

/**
 * Records the transaction that executed an action, as a caller reports it, once the chain confirms it. Idempotent.
 *
 * Several actions may have the same call: then the report decides which of them a transaction executes, also one that is not
 * mined yet, until the transaction is final.
 *
 * @throws INVALID_TX_HASH; ACTION_NOT_FOUND; TX_NOT_FOUND; TX_NOT_MINED; TX_REVERTED, although the transaction is
 * recorded and the action fails once it is final; VALIDATION_ERROR when the transaction was not issued for this action;
 * TX_UPDATE_FAILED after a concurrent change; PROVIDER_UNAVAILABLE when the chain does not respond.
 */
export async function reportTransaction(deps: ReportDeps, report: TransactionReport): Promise<ActionView> {
  const txHash = parseTxHash(report.txHash);
  const row = await findActionRow(deps, report);
  if (row === undefined) throw serviceError('ACTION_NOT_FOUND', { actionId: report.actionId });
  return actionView(deps.chains, await reportFor(deps, row, { ...report, txHash }));
}

const EVM_HASH = /^0x[0-9a-fA-F]{64}$/;

/** An EVM transaction hash in lower case, or a Solana signature. @throws INVALID_TX_HASH */
export function parseTxHash(text: string): string {
  if (EVM_HASH.test(text)) return text.toLowerCase();
  if (isSolanaSignature(text)) return text;
  throw serviceError('INVALID_TX_HASH');
}

/** Records a transaction for an action that was read already. Resolves to the updated action. */
export async function reportFor(
  deps: ReportDeps,
  row: ActionRow,
  { customerId, txHash: given, actor }: Omit<TransactionReport, 'actionId'>,
): Promise<ActionRow> {
  const kind = deps.chains.byId(row.chainIdIn)?.kind;
  if (kind === 'fiat') throw notThisAction('does not execute this action: it is executed by a payment in fiat');
  if (kind === 'solana') {
    await checkSolanaReport(deps, row, given);
    return row;
  }
  if (!EVM_HASH.test(given)) throw serviceError('INVALID_TX_HASH');
  const txHash = given as Hex;
  const reported = { ...row, chainId: chainOf(row, txHash) };
  if (!deps.rpc.serves(reported.chainId))
    throw notThisAction('cannot be checked: the chain is not supported by this deployment');
  // The action belongs to the customer. The check that no other action has the transaction or its nonce spans all customers.
  await runForService('chainTransactions', () => recordMined(deps, { row: reported, customerId, actor }, txHash));
  return (await findActionRow(deps, { customerId, actionId: row.id })) ?? row;
}

async function recordMined(deps: ReportDeps, report: ReportedFor, txHash: Hex): Promise<void> {
  const mined = await readMined(deps, report, txHash);
  const carriedOut = await findStep(deps, report.row, mined);
  if (carriedOut === undefined) throw notThisAction('does not execute this action');
  await record(deps, { ...report, carriedOut, mined });
  if (carriedOut.reverted) throw serviceError('TX_REVERTED', { txHash });
}

interface ReportedRow extends ActionRow {
  /** The chain of the reported transaction. */
  readonly chainId: number;
}

/** The chain of a known transaction, or of the first step that the wallet has still to carry out. */
function chainOf({ steps, chainIdIn }: ActionRow, txHash: Hex): number {
  const known = steps.find((step) => step.txHash === txHash);
  const next = steps.find(
    ({ operator, status, kind }) => operator === 'USER' && kind !== 'REFUND' && status !== 'CONFIRMED',
  );
  return (known ?? next)?.chainId ?? chainIdIn;
}

/** The step that a transaction executes, or has executed: the calls of old actions are removed, their steps are not. */
async function findStep(deps: ReportDeps, row: ReportedRow, mined: MinedReport): Promise<CarriedOutStep | undefined> {
  const { steps, chainId } = row;
  const { txHash } = mined;
  const carriedOut = await findCarriedOutStep(deps, row, mined);
  if (carriedOut !== undefined) return carriedOut;
  const step = steps.find((each) => each.txHash === txHash && each.chainId === chainId && each.kind !== 'REFUND');
  if (step === undefined) return undefined;
  const { stepIndex, userOperationHash, status } = step;
  return { stepIndex, userOperationHash: userOperationHash ?? undefined, reverted: status === 'FAILED' };
}

const notThisAction = (message: string): ServiceError => validationError([{ path: 'txHash', message }]);

interface ReportedFor {
  readonly row: ReportedRow;
  readonly customerId: CustomerId;
  readonly actor: Actor | undefined;
}

/**
 * The reported transaction in its block. The tracker assigns one that is not mined yet to the action later, although other
 * actions have the same call.
 *
 * @throws TX_NOT_FOUND, TX_NOT_MINED, PROVIDER_UNAVAILABLE
 */
async function readMined(deps: ReportDeps, report: ReportedFor, txHash: Hex): Promise<MinedReport> {
  const { mined, ...transaction } = await readTransaction(deps, report.row.chainId, txHash);
  if (mined !== undefined) return mined;
  await bindPending(deps, report, transaction);
  throw serviceError('TX_NOT_MINED', { txHash });
}

async function bindPending(
  { database }: ReportDeps,
  { row, customerId, actor }: ReportedFor,
  transaction: ReportedTransaction,
): Promise<void> {
  const call = await findIssuedCall(database, row, transaction);
  if (call?.isShared !== true) return;
  const { nonce } = transaction;
  const binding = database.$transaction(async (tx) => {
    await bindNonce(tx, { customerId, callId: call.id, nonce });
    await recordReport(tx, { row, actor });
  });
  await binding.catch((error: unknown) => {
    if (!isConflict(error)) throw error; // another report of the same transaction was first
  });
}

const recordReport = (tx: Transaction, { row, actor }: Pick<ReportedFor, 'row' | 'actor'>): Promise<void> =>
  recordAudit(tx, actor, { operation: 'reportActionTransaction', targetType: 'action', targetId: row.id });

/** A statement violated a constraint: a concurrent request or the tracker was first. */
const isConflict = (error: unknown): boolean => error instanceof Prisma.PrismaClientKnownRequestError;

interface Recording extends ReportedFor {
  readonly carriedOut: CarriedOutStep;
  readonly mined: MinedReport;
}

/** Rolls a transaction back that must not be stored in part. */
class NothingRecordedError extends Error {
  override readonly name = 'NothingRecordedError';
}

async function record(deps: ReportDeps, recording: Recording): Promise<void> {
  const { row, carriedOut, mined } = recording;
  const isRecorded = row.steps.some(({ txHash }) => txHash === mined.txHash);
  if (isRecorded && carriedOut.sharedCallId === undefined) return;
  try {
    await deps.database.$transaction(async (tx) => {
      if (!(await recordIn(tx, recording))) throw new NothingRecordedError();
      await recordReport(tx, recording);
    });
  } catch (error) {
    // Two actions with the same call claimed the transaction concurrently.
    if (isConflict(error)) throw serviceError('TX_UPDATE_FAILED', {}, { cause: error });
    if (!(error instanceof NothingRecordedError)) throw error;
    // A transaction that reverted is reported as such.
    if (!carriedOut.reverted) await explainRejection(deps, recording);
  }
}

function recordIn(tx: Transaction, { row, customerId, carriedOut, mined }: Recording): Promise<boolean> {
  const { sharedCallId, ...part } = carriedOut;
  const { txHash, block, nonce } = mined;
  const execution = { actionId: row.id, chainId: row.chainId, txHash, block, ...part };
  if (sharedCallId === undefined) return recordExecution(tx, execution);
  return assignSharedCall(tx, { customerId, callId: sharedCallId, nonce }, execution);
}

/** Nothing was recorded: the tracker was first, or the action cannot accept the transaction. */
async function explainRejection({ database }: ReportDeps, { row, carriedOut, mined }: Recording): Promise<void> {
  const { userOperationHash = null, callIndex = null, sharedCallId } = carriedOut;
  const steps = await database.actionStep.findMany({
    where: { chainId: row.chainId, txHash: mined.txHash, userOperationHash, callIndex },
    select: { actionId: true },
  });
  if (steps.some(({ actionId }) => actionId === row.id)) return;
  if (steps.length > 0) throw notThisAction('already executes another action');
  if (sharedCallId !== undefined && (await isNonceTaken(database, row, mined)))
    throw notThisAction('has a nonce that was reported for another action');
  throw notThisAction(`cannot execute this action: ${await describeStep(database, row, carriedOut.stepIndex)}`);
}

/** The transaction of a step, or the status of its action. */
async function describeStep(database: ReportDeps['database'], row: ActionRow, stepIndex: number): Promise<string> {
  const step = await database.actionStep.findFirst({
    where: { actionId: row.id, stepIndex },
    select: { txHash: true, action: { select: { status: true } } },
  });
  const { txHash = null, action = row } = step ?? {};
  return txHash === null ? `its status is ${action.status}` : `it has the transaction ${txHash} already`;
}

async function isNonceTaken(database: ReportDeps['database'], row: ReportedRow, mined: MinedReport): Promise<boolean> {
  const { from, nonce: reportedNonce } = mined;
  const sender = from.toLowerCase();
  const taken = await database.actionCall.count({
    where: { chainId: row.chainId, sender, reportedNonce, actionId: { not: row.id } },
  });
  return taken > 0;
}

/** A transaction of the chain; `mined` is `undefined` while it is in no block. */
interface ReadTransaction extends ReportedTransaction {
  readonly mined: MinedReport | undefined;
}

/** @throws TX_NOT_FOUND, PROVIDER_UNAVAILABLE */
function readTransaction(deps: ReportDeps, chainId: number, txHash: Hex): Promise<ReadTransaction> {
  return deps.rpc.request(chainId, async (client) => {
    const found = await client.getTransaction({ hash: txHash }).catch((error: unknown) => {
      if (!(error instanceof TransactionNotFoundError)) throw error;
      throw serviceError('TX_NOT_FOUND', { txHash, chain: deps.chains.get(chainId).slug });
    });
    const { from, to, input, value } = found;
    const transaction = { txHash, from, to, input, value, nonce: BigInt(found.nonce) };
    const receipt = await readReceipt(client, txHash);
    if (receipt === undefined) return { ...transaction, mined: undefined };
    const block = await client.getBlock({ blockHash: receipt.blockHash, includeTransactions: false });
    return { ...transaction, mined: { ...transaction, block, receipt } };
  });
}
