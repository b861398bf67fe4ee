import { assertNotBlocked } from '../auth/sanctions';
import type { CustomerId } from '../auth/principal';
import { parseAddress } from '../chains/addresses';
import { serviceError, type ServiceError } from '../errors/service-error';
import { validationError } from '../errors/validation';
import { anySignal } from '../async/any-signal';
import type { Transaction } from '../persistence/database';
import type { DeliverySource } from '../venues/delivery-source';
import type { ActionView } from './action-view';
import { readBridgeTransfer } from './delivery/read-bridge-transfer';
import { depositSchema } from './delivery/claim-deliveries';
import { failedAtProvider } from './delivery/poll-task';
import { readTransferAction, type TransferAction } from './delivery/transfer-action';
import { findActionRow, getAction } from './get-action';
import type { ActionDeps } from './list-actions';
import { POLL_NOW } from './state/poll-now';
import { changeSubstatus } from './state/change-status';

export interface RefundDeps extends ActionDeps {
  /** Sources by provider id. */
  readonly sources: ReadonlyMap<string, DeliverySource>;
  readonly blockedAddresses: ReadonlySet<string>;
  /** Time limit of the request to the provider, in milliseconds: shorter than the transaction that waits for it. */
  readonly refundTimeoutMs?: number;
}

export interface RefundRequest {
  readonly customerId: CustomerId;
  readonly actionId: string;
  /** Address that receives the refund; by default the refund address of the quote, or else the sender. */
  readonly refundAddress: string | undefined;
  readonly signal: AbortSignal;
}

/** Types of actions that a bridge carries out. */
const BRIDGED_TYPES: ReadonlySet<string> = new Set([
  'CROSSCHAIN_SWAP',
  'CROSSCHAIN_INVESTMENT_DEPOSIT',
  'CROSSCHAIN_INVESTMENT_WITHDRAW',
]);

const REFUND_TIMEOUT_MS = 20_000;
/** The delivery stays locked until the provider has responded, so that a refund is requested once. */
const TRANSACTION = { timeout: 30_000, maxWait: 10_000 };

/**
 * Requests a refund of a transfer that did not arrive from its provider. Idempotent.
 *
 * @throws ACTION_NOT_FOUND; INVALID_ACTION_TYPE when no bridge carries out the action; FORBIDDEN for a blocked address;
 * VALIDATION_ERROR when there is nothing to refund, or the provider refunds by itself; from the provider
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
      { path: 'refundAddress', message: `must be an address of ${name}, the origin chain of the payment` },
    ]);
  }
  assertNotBlocked(blockedAddresses, [address]);
  return address;
}

async function queueRefund(
  { deps, tx }: { readonly deps: RefundDeps; readonly tx: Transaction },
  { actionId, refundAddress, signal }: RefundRequest,
): Promise<void> {
  // Locked to the end: a concurrent request then sees that the refund was requested.
  await tx.$queryRaw`SELECT 1 FROM "Delivery" WHERE "actionId" = ${actionId}::uuid FOR UPDATE`;
  const delivery = await tx.delivery.findUnique({ where: { actionId } });
  if (delivery === null) throw notRefundable('its route has no provider that refunds');
  const transfer = await readTransferAction(tx, actionId);
  if (isRequested(transfer)) return;
  const deposit = depositSchema.nullable().parse(delivery.deposit) ?? undefined;
  const objection = objectionTo(transfer, deposit !== undefined);
  if (objection !== undefined) throw notRefundable(objection);
  const source = deps.sources.get(delivery.provider);
  if (source?.refund === undefined) throw notRefundable(`${delivery.provider} refunds by itself`);
  const checkpoint = delivery.checkpoint ?? undefined;
  const bridgeTransfer = await readBridgeTransfer({ database: tx, chains: deps.chains }, transfer, {
    deposit,
    checkpoint,
  });
  const requestSignal = anySignal(signal, timeoutOf(deps));
  await source.refund(bridgeTransfer, refundAddress ?? transfer.refundAddress ?? transfer.originAddress, requestSignal);
  await recordRequest(tx, transfer, refundAddress);
}

const timeoutOf = ({ refundTimeoutMs = REFUND_TIMEOUT_MS }: RefundDeps): AbortSignal =>
  AbortSignal.timeout(refundTimeoutMs);

/** A requested refund is polled for at once. */
async function recordRequest(
  tx: Transaction,
  { actionId, status }: TransferAction,
  refundAddress: string | undefined,
): Promise<void> {
  if (refundAddress !== undefined) await tx.action.update({ where: { id: actionId }, data: { refundAddress } });
  const substatus = 'REFUND_QUEUED';
  await changeSubstatus(tx, actionId, { substatus, ...(status === 'FAILED' ? { status } : {}) });
  await tx.$executeRaw`UPDATE "Delivery" SET ${POLL_NOW} WHERE "actionId" = ${actionId}::uuid`;
}

const isRequested = ({ status, substatus }: TransferAction): boolean =>
  (status === 'PENDING' || status === 'FAILED') && (substatus === 'REFUND_QUEUED' || substatus === 'REFUND_SENT');

/** Why there is nothing to refund; `undefined` when there may be something. */
function objectionTo(transfer: TransferAction, hasDeposit: boolean): string | undefined {
  const { status, origin, destination } = transfer;
  if (status === 'SUCCESS') return 'it has succeeded';
  if (status === 'REFUNDED') return 'it is already refunded';
  if (destination.status === 'SUBMITTED' || destination.status === 'CONFIRMED') return 'its output has arrived';
  if (status === 'INITIAL' || origin.status === 'PENDING') return 'no input was sent yet';
  return status === 'FAILED' && !hasDeposit && !failedAtProvider(transfer) ? 'its input was never taken' : undefined;
}

const notRefundable = (reason: string): ServiceError =>
  validationError([{ path: 'id', message: `belongs to an action that cannot be refunded: ${reason}` }]);
