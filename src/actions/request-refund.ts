import { assertNotBlocked } from '../auth/sanctions';
import type { CustomerId } from '../auth/principal';
import { parseAddress } from '../chains/addresses';
import { serviceError, type ServiceError } from '../errors/service-error';
import { validationError } from '../errors/validation';
import { anySignal } from '../async/any-signal';
import type { Transaction } from '../persistence/database';
import type { DeliverySource } from '../venues/delivery-source';
import type { ActionView } from './action-view';
import { depositJson } from './delivery/due-deliveries';
import { failedAtProvider } from './delivery/poll-task';
import { shipmentOf } from './delivery/bridge-transfer';
import { readTransfer, type Transfer } from './delivery/transfer-action';
import { findActionRow, getAction } from './get-action';
import type { ActionDeps } from './list-actions';
import { changeSubstatus } from './state/transition';

export interface RefundDeps extends ActionDeps {
  /** Who can be asked for the money back, by the id of the provider. */
  readonly sources: ReadonlyMap<string, DeliverySource>;
  readonly blockedAddresses: ReadonlySet<string>;
  /** Longest that a provider may take to answer, in milliseconds: shorter than the transaction that waits for it. */
  readonly refundBudgetMs?: number;
}

export interface RefundRequest {
  readonly customerId: CustomerId;
  readonly actionId: string;
  /** Where the money goes; else where the quote said, else back to the sender. */
  readonly refundAddress: string | undefined;
  readonly signal: AbortSignal;
}

/** Types of action that a bridge carries out. */
const BRIDGED_TYPES: ReadonlySet<string> = new Set([
  'CROSSCHAIN_SWAP',
  'CROSSCHAIN_INVESTMENT_DEPOSIT',
  'CROSSCHAIN_INVESTMENT_WITHDRAW',
]);

const REFUND_BUDGET_MS = 20_000;
/** The delivery is held until the provider has answered, so that it is asked for once. */
const TRANSACTION = { timeout: 30_000, maxWait: 10_000 };

/**
 * Asks a provider for the money of a transfer that does not arrive. Asked twice, nothing changes.
 *
 * @throws ACTION_NOT_FOUND, INVALID_ACTION_TYPE when no bridge carries the action out, FORBIDDEN for a blocked address,
 * VALIDATION_ERROR when there is nothing to be refunded or refunds come by themselves, and of the provider
 * INSUFFICIENT_AMOUNT_FOR_REFUND, REFUND_PROCESSING_FAILED, PROVIDER_UNAVAILABLE, BRIDGE_API_ERROR.
 */
export async function requestRefund(deps: RefundDeps, request: RefundRequest): Promise<ActionView> {
  const { customerId, actionId } = request;
  const row = await findActionRow(deps, { customerId, actionId });
  if (row === undefined) throw serviceError('ACTION_NOT_FOUND', { actionId });
  if (!BRIDGED_TYPES.has(row.type)) throw serviceError('INVALID_ACTION_TYPE', { type: row.type });
  const refundAddress = addressOf(deps, row.chainIdIn, request);
  await deps.database.$transaction((tx) => queueRefund({ deps, tx }, { ...request, refundAddress }), TRANSACTION);
  return getAction(deps, { customerId, actionId });
}

function addressOf(
  { chains, blockedAddresses }: RefundDeps,
  chainId: number,
  { refundAddress }: RefundRequest,
): string | undefined {
  if (refundAddress === undefined) return undefined;
  const { kind, name } = chains.get(chainId);
  const address = parseAddress(kind, refundAddress);
  if (address === undefined) {
    throw validationError([
      { path: 'refundAddress', message: `must be an address of ${name}, where the money came from` },
    ]);
  }
  assertNotBlocked(blockedAddresses, [address]);
  return address;
}

async function queueRefund(
  { deps, tx }: { readonly deps: RefundDeps; readonly tx: Transaction },
  { actionId, refundAddress, signal }: RefundRequest,
): Promise<void> {
  // Held to the end: whoever asks at the same moment sees afterwards that it was asked for.
  await tx.$queryRaw`SELECT 1 FROM "Delivery" WHERE "actionId" = ${actionId}::uuid FOR UPDATE`;
  const delivery = await tx.delivery.findUnique({ where: { actionId } });
  if (delivery === null) throw notRefundable('no provider carries its money');
  const transfer = await readTransfer(tx, actionId);
  if (isAskedFor(transfer)) return;
  const deposit = depositJson.nullable().parse(delivery.deposit) ?? undefined;
  const objection = objectionTo(transfer, deposit !== undefined);
  if (objection !== undefined) throw notRefundable(objection);
  const source = deps.sources.get(delivery.provider);
  if (source?.refund === undefined) throw notRefundable(`refunds of ${delivery.provider} come by themselves`);
  const memory = delivery.memory ?? undefined;
  const shipment = await shipmentOf({ database: tx, chains: deps.chains }, transfer, { deposit, memory });
  const patience = anySignal(signal, budgetOf(deps));
  await source.refund(shipment, refundAddress ?? transfer.refundAddress ?? transfer.originAddress, patience);
  await noteRequest(tx, transfer, refundAddress);
}

const budgetOf = ({ refundBudgetMs = REFUND_BUDGET_MS }: RefundDeps): AbortSignal =>
  AbortSignal.timeout(refundBudgetMs);

/** What is asked for is looked for at once. */
async function noteRequest(
  tx: Transaction,
  { actionId, status }: Transfer,
  refundAddress: string | undefined,
): Promise<void> {
  if (refundAddress !== undefined) await tx.action.update({ where: { id: actionId }, data: { refundAddress } });
  const substatus = 'REFUND_QUEUED';
  await changeSubstatus(tx, actionId, { substatus, ...(status === 'FAILED' ? { status } : {}) });
  await tx.$executeRaw`UPDATE "Delivery" SET "nextLookAt" = now(), looks = 0 WHERE "actionId" = ${actionId}::uuid`;
}

const isAskedFor = ({ status, substatus }: Transfer): boolean =>
  (status === 'PENDING' || status === 'FAILED') && (substatus === 'REFUND_QUEUED' || substatus === 'REFUND_SENT');

/** Why there is nothing to be refunded, in words; `undefined` when there may be. */
function objectionTo(transfer: Transfer, hasDeposit: boolean): string | undefined {
  const { status, origin, destination } = transfer;
  if (status === 'SUCCESS') return 'it has succeeded';
  if (status === 'REFUNDED') return 'it was refunded already';
  if (destination.status === 'SUBMITTED' || destination.status === 'CONFIRMED') return 'its money has arrived';
  if (status === 'INITIAL' || origin.status === 'PENDING') return 'nothing was sent yet';
  return status === 'FAILED' && !hasDeposit && !failedAtProvider(transfer) ? 'its money was never taken' : undefined;
}

const notRefundable = (reason: string): ServiceError =>
  validationError([{ path: 'id', message: `is of an action that cannot be refunded: ${reason}` }]);
