import { type Hex, TransactionNotFoundError } from 'viem';
import type { CustomerId } from '../auth/principal';
import { isSolanaSignature } from '../chains/solana-signature';
import { serviceError, type ServiceError } from '../errors/service-error';
import { validationError } from '../errors/validation';
import { Prisma } from '../persistence/client/client';
import type { Rpc } from '../rpc/rpc';
import type { ActionRow } from './action-row';
import { type ActionView, actionView } from './action-view';
import { findActionRow } from './get-action';
import { readReceipt } from '../rpc/read-receipt';
import { checkSolanaReport, type SolanaReportDeps } from './check-solana-report';
import { type CarriedOutStep, findCarriedOutStep, type ReportedTransaction } from './reported-step';
import { recordExecution } from './state/record-execution';

export interface ReportDeps extends SolanaReportDeps {
  readonly rpc: Rpc;
}

export interface TransactionReport {
  readonly customerId: CustomerId;
  readonly actionId: string;
  readonly txHash: string;
}

/**
 * Records the transaction that executed an action, as a caller reports it, once the chain confirms it. Idempotent.
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
  { customerId, txHash: given }: Pick<TransactionReport, 'customerId' | 'txHash'>,
): Promise<ActionRow> {
  const kind = deps.chains.byId(row.chainIdIn)?.kind;
  if (kind === 'fiat') throw notThisAction('does not execute this action: it is executed by a payment in fiat');
  if (kind === 'solana') {
    await checkSolanaReport(deps, row, given);
    return row;
  }
  if (!EVM_HASH.test(given)) throw serviceError('INVALID_TX_HASH');
  const txHash = given as Hex;
  if (!deps.rpc.serves(row.chainIdIn))
    throw notThisAction('cannot be checked: the chain is not supported by this deployment');
  const mined = await readTransaction(deps, row.chainIdIn, txHash);
  const carriedOut = await findStep(deps, row, mined);
  if (carriedOut === undefined) throw notThisAction('does not execute this action');
  if (row.steps.every((step) => step.txHash !== txHash)) await record(deps, { row, carriedOut, mined });
  if (carriedOut.reverted) throw serviceError('TX_REVERTED', { txHash });
  return (await findActionRow(deps, { customerId, actionId: row.id })) ?? row;
}

/** The step that a transaction executes, or has executed: the calls of old actions are removed, their steps are not. */
async function findStep(
  { database }: ReportDeps,
  row: ActionRow,
  mined: ReportedTransaction,
): Promise<CarriedOutStep | undefined> {
  const { steps, chainIdIn } = row;
  const { txHash } = mined;
  const carriedOut = await findCarriedOutStep(database, row, mined);
  if (carriedOut !== undefined) return carriedOut;
  const step = steps.find((each) => each.txHash === txHash && each.chainId === chainIdIn && each.kind !== 'REFUND');
  if (step === undefined) return undefined;
  const { stepIndex, userOperationHash, status } = step;
  return { stepIndex, userOperationHash: userOperationHash ?? undefined, reverted: status === 'FAILED' };
}

const notThisAction = (message: string): ServiceError => validationError([{ path: 'txHash', message }]);

interface Recording {
  readonly row: ActionRow;
  readonly carriedOut: CarriedOutStep;
  readonly mined: ReportedTransaction;
}

async function record(deps: ReportDeps, recording: Recording): Promise<void> {
  const { row, carriedOut, mined } = recording;
  const { stepIndex, userOperationHash } = carriedOut;
  const { txHash, block } = mined;
  const execution = { actionId: row.id, stepIndex, chainId: row.chainIdIn, txHash, userOperationHash, block };
  try {
    if (await deps.database.$transaction((tx) => recordExecution(tx, execution))) return;
  } catch (error) {
    // Two actions with the same call claimed the transaction concurrently.
    if (!(error instanceof Prisma.PrismaClientKnownRequestError)) throw error;
    throw serviceError('TX_UPDATE_FAILED', {}, { cause: error });
  }
  await explainRejection(deps, recording);
}

/** Nothing was recorded: the tracker was first, or the action can no longer accept the transaction. */
async function explainRejection(deps: ReportDeps, { row, carriedOut, mined }: Recording): Promise<void> {
  const { userOperationHash = null } = carriedOut;
  const steps = await deps.database.actionStep.findMany({
    where: { chainId: row.chainIdIn, txHash: mined.txHash, userOperationHash },
    select: { actionId: true },
  });
  if (steps.some(({ actionId }) => actionId === row.id)) return;
  if (steps.length > 0) throw notThisAction('already executes another action');
  throw notThisAction(`was reported too late: the action is ${row.status} or has another transaction`);
}

/** @throws TX_NOT_FOUND, TX_NOT_MINED, PROVIDER_UNAVAILABLE */
function readTransaction(deps: ReportDeps, chainId: number, txHash: Hex): Promise<ReportedTransaction> {
  return deps.rpc.request(chainId, async (client) => {
    const transaction = await client.getTransaction({ hash: txHash }).catch((error: unknown) => {
      if (!(error instanceof TransactionNotFoundError)) throw error;
      throw serviceError('TX_NOT_FOUND', { txHash, chain: deps.chains.get(chainId).slug });
    });
    const receipt = await readReceipt(client, txHash);
    if (receipt === undefined) throw serviceError('TX_NOT_MINED', { txHash });
    const block = await client.getBlock({ blockHash: receipt.blockHash, includeTransactions: false });
    const { from, to, input, value } = transaction;
    return { txHash, from, to, input, value, block, receipt };
  });
}
