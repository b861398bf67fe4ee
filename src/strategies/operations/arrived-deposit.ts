import { parseTerms } from '../../actions/amounts/transfer-terms';
import type { CustomerId } from '../../auth/principal';
import { serviceError } from '../../errors/service-error';
import { validationError } from '../../errors/validation';
import { type BaseUnits, toBaseUnits } from '../../money/base-units';
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
}

interface Found {
  readonly status: string;
  readonly chainIdIn: bigint;
  readonly receiverAddress: string;
  readonly arrived: string | null;
  readonly stepIndex: number;
  readonly stepStatus: string;
  readonly hasFee: boolean;
  readonly terms: unknown;
}

interface DepositReference {
  readonly customerId: CustomerId;
  readonly actionId: string;
  readonly strategyId: string;
  readonly wallet: string;
}

/**
 * @throws ACTION_NOT_FOUND when the customer has no such deposit of the wallet; LENDING_BAD_REQUEST with the kind `NOT_ARRIVED`
 * while its tokens are in transit; VALIDATION_ERROR when there is nothing to deposit any more
 */
export async function findArrivedDeposit(
  database: Pick<Database, '$queryRaw'>,
  { customerId, actionId, strategyId, wallet }: DepositReference,
): Promise<ArrivedDeposit> {
  const [found] = await database.$queryRaw<Found[]>`
    SELECT action.status::text, action."chainIdIn", action."receiverAddress", delivery."arrivedAmount"::text AS arrived,
           deposit."stepIndex", deposit.status::text AS "stepStatus", delivery.terms,
           EXISTS (SELECT 1 FROM "ActionStep" AS fee
                    WHERE fee."actionId" = action.id AND fee.protocol = ${FEE_PROTOCOL}) AS "hasFee"
      FROM "Action" AS action
      JOIN "Delivery" AS delivery ON delivery."actionId" = action.id
      JOIN "ActionStep" AS deposit ON deposit."actionId" = action.id AND deposit.kind = 'DEPOSIT'
     WHERE action.id = ${actionId}::uuid AND action."customerId" = ${customerId}::uuid
       AND action.type = 'CROSSCHAIN_INVESTMENT_DEPOSIT' AND action."strategyId" = ${strategyId}
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
  };
}

/** Actions of an earlier version lack the share. */
const maxEntryBpsOf = ({ hasFee, terms }: Found): number =>
  hasFee ? (parseTerms(terms)?.entryFeeBps ?? MAX_FEE_BPS) : 0;

/** @throws VALIDATION_ERROR when the deposit was sent, or the action has ended */
function assertOpen({ status, stepStatus }: Found): void {
  const isOpen = (status === 'INITIAL' || status === 'PENDING') && stepStatus === 'PENDING';
  if (isOpen) return;
  const state =
    stepStatus === 'PENDING' || stepStatus === 'SKIPPED' ? `its status is ${status}` : 'its deposit was sent';
  throw validationError([{ path: 'actionId', message: `has nothing to deposit: ${state}` }]);
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
  // A transaction is recorded under this lock: what is decided below stays true until the calls are registered.
  await tx.$queryRaw`
    SELECT id FROM "Action" WHERE id = ${actionId}::uuid AND "customerId" = ${customerId}::uuid FOR UPDATE`;
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
