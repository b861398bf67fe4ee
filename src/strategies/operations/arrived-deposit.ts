import { parseTerms } from '../../actions/amounts/transfer-terms';
import { entryFeeIn } from '../../actions/state/paid-fees';
import type { CustomerId } from '../../auth/principal';
import { serviceError } from '../../errors/service-error';
import { validationError } from '../../errors/validation';
import { type BaseUnits, toBaseUnits } from '../../money/base-units';
import type { StepStatus } from '../../persistence/client/enums';
import type { Database, Transaction } from '../../persistence/database';
import { FEE_PROTOCOL } from '../../transactions/action-plan';
import { MAX_FEE_BPS } from '../strategy-fees';
import { lendingProblemError } from './lending-failure';

/** A deposit whose tokens have arrived from another chain, and wait in the wallet. */
export interface ArrivedDeposit {
  readonly actionId: string;
  readonly chainIdIn: number;
  /** Owns the deposit. */
  readonly recipient: string;
  /** Base units of the underlying asset that arrived. */
  readonly arrived: BaseUnits;
  /** Index of the step of the deposit. */
  readonly stepIndex: number;
  /** Basis points of the entry fee that were agreed when the action was created: the deposit costs no more. Zero without a fee. */
  readonly maxEntryBps: number;
  /** Base units of the entry fee whose transfer was mined before the deposit; `undefined` when none was. */
  readonly paidFee: bigint | undefined;
}

interface Found {
  readonly status: string;
  readonly chainIdIn: bigint;
  readonly receiverAddress: string;
  readonly arrived: string | null;
  readonly stepIndex: number;
  readonly stepStatus: string;
  readonly fees: unknown;
  readonly feeStatus: StepStatus | null;
  readonly isFeeReverted: boolean | null;
  readonly terms: unknown;
}

interface DepositReference {
  readonly customerId: CustomerId;
  readonly actionId: string;
  /** Slugs of the id and the aliases of the strategy: the action has the id of its time. */
  readonly slugs: readonly string[];
  readonly wallet: string;
}

/**
 * @throws ACTION_NOT_FOUND when the customer has no such deposit of the wallet; LENDING_BAD_REQUEST with the kind `NOT_ARRIVED`
 * while its tokens are in transit; VALIDATION_ERROR when there is nothing to deposit any more
 */
export async function findArrivedDeposit(
  database: Pick<Database, '$queryRaw'>,
  { customerId, actionId, slugs, wallet }: DepositReference,
): Promise<ArrivedDeposit> {
  const [found] = await database.$queryRaw<Found[]>`
    SELECT action.status::text, action."chainIdIn", action."receiverAddress", delivery."arrivedAmount"::text AS arrived,
           deposit."stepIndex", deposit.status::text AS "stepStatus", delivery.terms, action.fees,
           fee.status::text AS "feeStatus", fee.reverted AS "isFeeReverted"
      FROM "Action" AS action
      JOIN "Delivery" AS delivery ON delivery."actionId" = action.id
      JOIN "ActionStep" AS deposit ON deposit."actionId" = action.id AND deposit.kind = 'DEPOSIT'
      LEFT JOIN "ActionStep" AS fee ON fee."actionId" = action.id AND fee.protocol = ${FEE_PROTOCOL}
     WHERE action.id = ${actionId}::uuid AND action."customerId" = ${customerId}::uuid
       AND action.type = 'CROSSCHAIN_INVESTMENT_DEPOSIT' AND lower(action."strategyId") = ANY(${[...slugs]})
       AND action."originAddress" = ${wallet}`;
  if (found === undefined) throw serviceError('ACTION_NOT_FOUND', { actionId });
  assertOpen(found);
  if (found.arrived === null)
    throw lendingProblemError({
      kind: 'NOT_ARRIVED',
      message: 'the tokens have not arrived on the chain of the strategy',
    });
  return {
    actionId,
    chainIdIn: Number.parseInt(found.chainIdIn.toString(), 10),
    recipient: found.receiverAddress,
    arrived: toBaseUnits(BigInt(found.arrived)),
    stepIndex: found.stepIndex,
    maxEntryBps: maxEntryBpsOf(found),
    paidFee: paidFeeOf(found),
  };
}

/** True when a transaction has paid the fee: the step of its transfer succeeded, whether that is final or not. */
export const isFeePaid = ({ status, reverted }: { readonly status: StepStatus; readonly reverted: boolean }): boolean =>
  status === 'CONFIRMED' || (status === 'SUBMITTED' && !reverted);

const paidFeeOf = ({ fees, feeStatus, isFeeReverted }: Found): bigint | undefined =>
  feeStatus !== null && isFeePaid({ status: feeStatus, reverted: isFeeReverted === true })
    ? entryFeeIn(fees)
    : undefined;

/** Actions of an earlier version lack the share. */
const maxEntryBpsOf = ({ feeStatus, terms }: Found): number =>
  feeStatus === null ? 0 : (parseTerms(terms)?.entryFeeBps ?? MAX_FEE_BPS);

/** @throws VALIDATION_ERROR when the deposit was sent, or the action has ended */
function assertOpen({ status, stepStatus }: Found): void {
  const isOpen = (status === 'INITIAL' || status === 'PENDING') && stepStatus === 'PENDING';
  if (isOpen) return;
  const state =
    stepStatus === 'PENDING' || stepStatus === 'SKIPPED' ? `its status is ${status}` : 'its deposit was sent';
  throw validationError([{ path: 'actionId', message: `has nothing to deposit: ${state}` }]);
}

/** A transaction is recorded under this lock: what is decided after it stays true until the calls are registered. */
export async function lockAction(
  tx: Transaction,
  { customerId, actionId }: Pick<DepositReference, 'customerId' | 'actionId'>,
): Promise<void> {
  await tx.$queryRaw`
    SELECT id FROM "Action" WHERE id = ${actionId}::uuid AND "customerId" = ${customerId}::uuid FOR UPDATE`;
}

export interface DepositTerms {
  /** Base units of the receipt token. */
  readonly amountOut: bigint;
  readonly minAmountOut: bigint;
}

/**
 * Stores what the deposit of the arrived tokens gives, in the transaction that registers its calls. False when the deposit was
 * sent meanwhile.
 */
export async function saveDepositTerms(
  tx: Transaction,
  { customerId, actionId }: Pick<DepositReference, 'customerId' | 'actionId'>,
  { amountOut, minAmountOut }: DepositTerms,
): Promise<boolean> {
  const [amount, minimum] = [amountOut.toString(), minAmountOut.toString()];
  await lockAction(tx, { customerId, actionId });
  const updated = await tx.$executeRaw`
    UPDATE "Action" AS action
       SET "amountOutUsd" = div("amountOutUsd" * ${amount}::numeric * 1000000, nullif("amountOut", 0)) * 0.000001,
           "amountOut" = ${amount}::numeric,
           -- The wallet may send what an earlier request returned, whose fee was higher.
           "minAmountOut" = CASE WHEN EXISTS (
             SELECT 1 FROM "ActionCall" AS call JOIN "ActionStep" AS requested
                 ON requested."actionId" = call."actionId" AND requested."stepIndex" = call."stepIndex"
              WHERE call."actionId" = action.id AND requested.kind = 'DEPOSIT')
           THEN least("minAmountOut", ${minimum}::numeric) ELSE ${minimum}::numeric END
     WHERE action.id = ${actionId}::uuid AND action."customerId" = ${customerId}::uuid AND action.status = 'PENDING'
       AND EXISTS (SELECT 1 FROM "ActionStep" AS deposit
                    WHERE deposit."actionId" = action.id AND deposit.kind = 'DEPOSIT' AND deposit.status = 'PENDING')`;
  return updated > 0;
}
