import { ACTION_COLUMNS, type ActionRow, parseActionRow } from '../../actions/action-row';
import { type StepView, stepView } from '../../actions/action-view';
import type { CustomerId } from '../../auth/principal';
import { assertNotBlocked } from '../../auth/sanctions';
import { createFieldReader } from '../../errors/field-reader';
import { validationError } from '../../errors/validation';
import type { Database } from '../../persistence/database';
import { parseWallet } from '../../quotes/request/parse-swap-addresses';
import { slugsOf } from '../catalog/merge-rows';
import type { OrderBookView } from '../stocks/probe-order-book';
import { type SettlementView, settlementView } from '../stocks/settlement-view';
import { findStockOrders } from '../stocks/stock-order';
import type { Strategy } from '../strategy';
import { STOCKS } from '../strategy-row';
import type { OperationDeps } from './operation-deps';

export interface PendingDeps extends Pick<OperationDeps, 'strategies' | 'blockedAddresses' | 'stocks' | 'rpc'> {
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
  /** Settlement of the order. Tokenized stocks only. */
  readonly suw: SettlementView | undefined;
}

export interface PendingOperations {
  readonly strategyId: string;
  readonly wallet: string;
  readonly hasPending: boolean;
  readonly message: string;
  readonly actions: readonly PendingOperation[];
  /** Whether orders can be placed now. Tokenized stocks only. */
  readonly orderBook: OrderBookView | undefined;
}

/** Newest actions that are shown. A wallet rarely has more than one. */
const MAX_SHOWN = 50;

/**
 * The pending actions of a wallet in a strategy, newest first.
 *
 * @throws STRATEGY_NOT_FOUND, LENDING_SERVICE_UNAVAILABLE, VALIDATION_ERROR, FORBIDDEN
 */
export async function pendingOperations(
  deps: PendingDeps,
  { customerId, strategyId, wallet: given }: PendingRequest,
): Promise<PendingOperations> {
  const { strategies, database, blockedAddresses } = deps;
  await strategies.ready();
  const strategy = strategies.get(strategyId);
  const { row, chain } = strategy;
  const reader = createFieldReader({ wallet: given });
  if (!reader.has('wallet')) reader.addIssue('wallet', 'is required');
  const wallet = parseWallet(reader, 'wallet', chain);
  if (wallet === undefined || reader.issues.length > 0) throw validationError(reader.issues);
  assertNotBlocked(blockedAddresses, [wallet]);
  const rows = await database.$queryRaw<unknown[]>`
    SELECT ${ACTION_COLUMNS} FROM "Action" AS action
     WHERE action."customerId" = ${customerId}::uuid AND action.status = 'PENDING' AND NOT action."isDraft"
       AND lower(action."strategyId") = ANY(${[...slugsOf(row)]}) AND action."originAddress" = ${wallet}
     ORDER BY action.id DESC LIMIT ${MAX_SHOWN}`;
  const pending = rows.map((each) => parseActionRow(each));
  const { settlements, orderBook } = await readOrders(deps, { customerId, strategy, pending });
  const actions = pending.map((each) => pendingOperation(each, settlements.get(each.id)));
  const arrived = actions.filter(({ substatus }) => substatus === 'DEPOSIT_REQUIRED');
  const message = [messageOf(actions.length), arrived.length > 0 ? [ARRIVED] : []].flat().join('. ');
  return { strategyId: row.id, wallet, hasPending: actions.length > 0, message, actions, orderBook };
}

function pendingOperation(row: ActionRow, suw: SettlementView | undefined): PendingOperation {
  const { id, type, status, substatus, createdAt, updatedAt } = row;
  const steps = row.steps.map((step) => stepView(step, row));
  const open = steps.find((step) => step.status !== 'CONFIRMED') ?? steps.at(-1);
  return { id, type, status, substatus, createdAt, updatedAt, currentStep: open?.stepIndex ?? 0, steps, suw };
}

interface OrdersRequest {
  readonly customerId: CustomerId;
  readonly strategy: Strategy;
  readonly pending: readonly ActionRow[];
}

interface OrdersReading {
  /** By the id of the action. */
  readonly settlements: ReadonlyMap<string, SettlementView>;
  readonly orderBook: OrderBookView | undefined;
}

/** The settlements of pending orders, and the state of the order book. Neither exists for other strategies. */
async function readOrders(deps: PendingDeps, request: OrdersRequest): Promise<OrdersReading> {
  const { customerId, strategy, pending } = request;
  if (strategy.row.protocol !== STOCKS) return { settlements: new Map(), orderBook: undefined };
  const { stocks } = deps;
  const status = await stocks?.status.read(strategy);
  const orders = await findStockOrders(deps.database, { customerId, actionIds: pending.map(({ id }) => id) });
  const views = await Promise.all(
    pending.flatMap((action) => {
      const order = orders.get(action.id);
      if (order === undefined) return [];
      const parts = { strategy, order, action, livePrice: status?.livePrice };
      return settlementView({ rpc: deps.rpc, balancesTimeoutMs: stocks?.balancesTimeoutMs }, parts).then(
        (view) => [action.id, view] as const,
      );
    }),
  );
  return { settlements: new Map(views), orderBook: status?.orderBook };
}

const ARRIVED = 'Tokens have arrived from another chain: request the transactions of their deposit with actionId';

function messageOf(count: number): string {
  if (count === 0) return 'No action is pending';
  return count === 1 ? 'One action is pending' : `${String(count)} actions are pending`;
}
