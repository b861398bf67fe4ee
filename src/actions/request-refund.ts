import { type Actor, recordAudit } from '../auth/audit-log';
import { assertNotBlocked } from '../auth/sanctions';
import type { CustomerId } from '../auth/principal';
import { parseAddress } from '../chains/addresses';
import { serviceError, type ServiceError } from '../errors/service-error';
import { validationError } from '../errors/validation';
import { rejectOnAbort } from '../async/race-abort';
import { sleep } from '../async/sleep';
import type { Database, Transaction } from '../persistence/database';
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
  /** Time limit of the request to the provider, in milliseconds from the start of its lease: shorter than the lease. */
  readonly refundTimeoutMs?: number;
}

export interface RefundRequest {
  readonly customerId: CustomerId;
  readonly actionId: string;
  /** Address that receives the refund; by default the refund address of the quote, or else the sender. */
  readonly refundAddress: string | undefined;
  /** The user of the dashboard who requests it. */
  readonly actor?: Actor | undefined;
  readonly signal: AbortSignal;
}

/** Types of actions that a bridge carries out. */
const BRIDGED_TYPES: ReadonlySet<string> = new Set([
  'CROSSCHAIN_SWAP',
  'CROSSCHAIN_INVESTMENT_DEPOSIT',
  'CROSSCHAIN_INVESTMENT_WITHDRAW',
]);

const REFUND_TIMEOUT_MS = 20_000;
/** Refunds of an action are requested one at a time. The lease of a crashed process ends by itself. */
const LEASE_SECONDS = 30;
/** Interval at which a concurrent request tries to get the lease. */
const RETRY_MS = 100;

/**
 * Requests a refund of a transfer that did not arrive from its provider. Idempotent: the provider is requested outside of
 * any database transaction, and the refund is recorded after its response, even when the caller has left meanwhile. After
 * a crash in between, the next request repeats the one to the provider, which identifies the transfer by its deposit.
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
  await rejectOnAbort(queueRefund(deps, { ...request, refundAddress }), request.signal);
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

async function queueRefund(deps: RefundDeps, request: RefundRequest): Promise<void> {
  const { database, refundTimeoutMs = REFUND_TIMEOUT_MS } = deps;
  const claim = await claimRefund(database, request);
  const deadline = AbortSignal.timeout(refundTimeoutMs);
  try {
    // Read under the lease: a concurrent request has recorded its refund before it released it.
    const transfer = await readTransferAction(database, request.actionId);
    if (isRequested(transfer)) return;
    await requestFromProvider(deps, { claim, transfer, request, deadline });
    await database.$transaction((tx) => recordRequest(tx, request, claim));
  } finally {
    await releaseRefund(database, request, claim);
  }
}

interface RefundClaim {
  readonly provider: string;
  readonly deposit: unknown;
  readonly checkpoint: unknown;
  /** End of the lease, which also identifies its holder. */
  readonly leasedUntil: Date;
}

/** Leases the refund of an action, after the concurrent requests before. @throws VALIDATION_ERROR without a delivery */
async function claimRefund(
  database: Pick<Database, '$queryRaw' | 'delivery'>,
  { customerId, actionId, signal }: RefundRequest,
): Promise<RefundClaim> {
  for (;;) {
    signal.throwIfAborted();
    const [claim] = await database.$queryRaw<RefundClaim[]>`
      UPDATE "Delivery" SET "refundLeasedUntil" = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
       WHERE "actionId" = ${actionId}::uuid AND "customerId" = ${customerId}::uuid
         AND ("refundLeasedUntil" IS NULL OR "refundLeasedUntil" < clock_timestamp())
      RETURNING provider, deposit, checkpoint, "refundLeasedUntil" AS "leasedUntil"`;
    if (claim !== undefined) return claim;
    const exists = await database.delivery.count({ where: { actionId, customerId } });
    if (exists === 0) throw notRefundable('its route has no provider that refunds');
    await sleep(RETRY_MS, signal);
  }
}

async function releaseRefund(
  database: Pick<Database, 'delivery'>,
  { customerId, actionId }: RefundRequest,
  { leasedUntil }: RefundClaim,
): Promise<void> {
  const where = { actionId, customerId, refundLeasedUntil: leasedUntil };
  await database.delivery.updateMany({ where, data: { refundLeasedUntil: null } });
}

interface ClaimedRefund {
  readonly claim: RefundClaim;
  readonly transfer: TransferAction;
  readonly request: RefundRequest;
  /** Ends the request to the provider before the lease ends. */
  readonly deadline: AbortSignal;
}

async function requestFromProvider(
  deps: RefundDeps,
  { claim, transfer, request, deadline }: ClaimedRefund,
): Promise<void> {
  const deposit = depositSchema.nullable().parse(claim.deposit) ?? undefined;
  const objection = objectionTo(transfer, deposit !== undefined);
  if (objection !== undefined) throw notRefundable(objection);
  const source = deps.sources.get(claim.provider);
  if (source?.refund === undefined) throw notRefundable(`${claim.provider} refunds by itself`);
  const progress = { deposit, checkpoint: claim.checkpoint ?? undefined };
  const bridgeTransfer = await readBridgeTransfer(deps, transfer, progress);
  const refundAddress = request.refundAddress ?? transfer.refundAddress ?? transfer.originAddress;
  if (deadline.aborted) throw serviceError('REFUND_PROCESSING_FAILED');
  await source.refund(bridgeTransfer, refundAddress, deadline);
}

/**
 * A requested refund is polled for at once. The state is read again under the lock of the action: nothing is recorded when
 * the output has arrived or the transfer was refunded meanwhile; one that has failed meanwhile still waits for its refund.
 */
async function recordRequest(
  tx: Transaction,
  { actionId, customerId, refundAddress, actor }: RefundRequest,
  { deposit }: Pick<RefundClaim, 'deposit'>,
): Promise<void> {
  await tx.$queryRaw`
    SELECT id FROM "Action" WHERE id = ${actionId}::uuid AND "customerId" = ${customerId}::uuid FOR UPDATE`;
  const hasDeposit = deposit !== null && deposit !== undefined;
  if (objectionTo(await readTransferAction(tx, actionId), hasDeposit) !== undefined) return;
  const substatus = 'REFUND_QUEUED';
  const isQueued =
    (await changeSubstatus(tx, actionId, { substatus })) ||
    (await changeSubstatus(tx, actionId, { substatus, status: 'FAILED' }));
  if (!isQueued) return;
  await recordAudit(tx, actor, { operation: 'requestRefund', targetType: 'action', targetId: actionId });
  if (refundAddress !== undefined)
    await tx.action.updateMany({ where: { id: actionId, customerId }, data: { refundAddress } });
  await tx.$executeRaw`
    UPDATE "Delivery" SET ${POLL_NOW} WHERE "actionId" = ${actionId}::uuid AND "customerId" = ${customerId}::uuid`;
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
