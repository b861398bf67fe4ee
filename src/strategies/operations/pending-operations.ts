import { ACTION_COLUMNS, type ActionRow, parseActionRow } from '../../actions/action-row';
import { type StepView, stepView } from '../../actions/action-view';
import type { CustomerId } from '../../auth/principal';
import { assertNotBlocked } from '../../auth/sanctions';
import { createFieldReader } from '../../errors/field-reader';
import { validationError } from '../../errors/validation';
import type { Database } from '../../persistence/database';
import { parseWallet } from '../../quotes/request/parse-swap-addresses';
import type { OperationDeps } from './operation-deps';

export interface PendingDeps extends Pick<OperationDeps, 'strategies' | 'blockedAddresses'> {
  readonly database: Pick<Database, '$queryRaw'>;
}

export interface PendingRequest {
  readonly customerId: CustomerId;
  /** Id, slug or alias. */
  readonly strategyId: string;
  readonly wallet: string | undefined;
}

/** An action of a strategy that was sent and has not ended. */
export interface PendingOperation {
  readonly id: string;
  readonly type: ActionRow['type'];
  readonly status: ActionRow['status'];
  readonly steps: readonly Pick<StepView, 'stepIndex' | 'status' | 'legs'>[];
  readonly substatus: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Index of the first step that is not confirmed. */
  readonly currentStep: number;
}

export interface PendingOperations {
  readonly strategyId: string;
  readonly wallet: string;
  readonly hasPending: boolean;
  readonly message: string;
  readonly actions: readonly PendingOperation[];
}

/** Newest actions that are shown. A wallet rarely has more than one. */
const MAX_SHOWN = 50;

/**
 * The pending actions of a wallet in a strategy, newest first.
 *
 * @throws STRATEGY_NOT_FOUND, LENDING_SERVICE_UNAVAILABLE, VALIDATION_ERROR, FORBIDDEN
 */
export async function pendingOperations(
  { strategies, database, blockedAddresses }: PendingDeps,
  { customerId, strategyId, wallet: given }: PendingRequest,
): Promise<PendingOperations> {
  await strategies.ready();
  const { row, chain } = strategies.get(strategyId);
  const reader = createFieldReader({ wallet: given });
  if (!reader.has('wallet')) reader.addIssue('wallet', 'is required');
  const wallet = parseWallet(reader, 'wallet', chain);
  if (wallet === undefined || reader.issues.length > 0) throw validationError(reader.issues);
  assertNotBlocked(blockedAddresses, [wallet]);
  const rows = await database.$queryRaw<unknown[]>`
    SELECT ${ACTION_COLUMNS} FROM "Action" AS action
     WHERE action."customerId" = ${customerId}::uuid AND action.status = 'PENDING' AND NOT action."isDraft"
       AND action."strategyId" = ${row.id} AND action."originAddress" = ${wallet}
     ORDER BY action.id DESC LIMIT ${MAX_SHOWN}`;
  const actions = rows.map((each) => pendingOperation(parseActionRow(each)));
  const arrived = actions.filter(({ substatus }) => substatus === 'DEPOSIT_REQUIRED');
  const message = [messageOf(actions.length), arrived.length > 0 ? [ARRIVED] : []].flat().join('. ');
  return { strategyId: row.id, wallet, hasPending: actions.length > 0, message, actions };
}

function pendingOperation(row: ActionRow): PendingOperation {
  const { id, type, status, substatus, createdAt, updatedAt } = row;
  const steps = row.steps.map((step) => stepView(step, row));
  const open = steps.find((step) => step.status !== 'CONFIRMED') ?? steps.at(-1);
  return { id, type, status, substatus, createdAt, updatedAt, currentStep: open?.stepIndex ?? 0, steps };
}

const ARRIVED = 'Tokens have arrived from another chain: request the transactions of their deposit with actionId';

function messageOf(count: number): string {
  if (count === 0) return 'No action is pending';
  return count === 1 ? 'One action is pending' : `${String(count)} actions are pending`;
}
