import type { Address } from 'viem';
import { registerCalls } from '../../actions/register-calls';
import type { CustomerId } from '../../auth/principal';
import { assertNotBlocked } from '../../auth/sanctions';
import type { RawFields } from '../../errors/field-reader';
import { serviceError } from '../../errors/service-error';
import { validationError } from '../../errors/validation';
import type { Chain } from '../../chains/chain';
import { type BaseUnits, toBaseUnits } from '../../money/base-units';
import { slugsOf } from '../catalog/merge-rows';
import { uniformFees } from '../fees/customer-fees';
import type { Protocol } from '../protocols/protocol';
import type { Strategy } from '../strategy';
import { assertWorkersSupport } from './assert-workers-support';
import { type ArrivedDeposit, findArrivedDeposit, lockAction, saveDepositTerms } from './arrived-deposit';
import { isFeeUnchanged, saveEntryFee, withFees } from './entry-fee';
import { buildExecutableOperation } from './build-executable-operation';
import type { OperationDeps } from './operation-deps';
import { operationCalls, strategyFeesOf } from './operation-plan';
import { type OperationView, operationView } from './operation-view';
import { type Continuation, parseContinuation } from './parse-continuation';
import type { Lending } from './resolved-operation';

export interface ContinueDepositParameters {
  readonly customerId: CustomerId;
  readonly fields: RawFields;
  readonly signal: AbortSignal;
}

/**
 * Builds and simulates the deposit of the tokens that have arrived from another chain, all of them, for the action that moved
 * them. A fee that the wallet has paid before is not charged again: the rest is deposited. Idempotent in its effect: a repeated
 * request returns fresh transactions for the same action.
 *
 * @throws VALIDATION_ERROR, PRICE_IN_USD_NOT_SUPPORTED, EXPIRE_AT_NOT_SUPPORTED, FORBIDDEN, ACTION_NOT_FOUND, LENDING_BAD_REQUEST,
 * LENDING_SERVICE_UNAVAILABLE; the errors of user operations
 */
export async function continueDeposit(
  deps: OperationDeps,
  lent: LentStrategy,
  { customerId, fields, signal }: ContinueDepositParameters,
): Promise<OperationView> {
  const continuation = parseContinuation(lent.strategy, fields);
  const { actionId, wallet } = continuation;
  assertNotBlocked(deps.blockedAddresses, [wallet]);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const reference = { customerId, actionId, slugs: slugsOf(lent.strategy.row), wallet };
    const deposit = await findArrivedDeposit(deps.database, reference);
    const view = await requestDeposit(deps, { ...lent, customerId, deposit, continuation, signal });
    if (view !== undefined) return view;
  }
  const reason = 'its fee is being paid at this moment: repeat the request';
  throw serviceError('LENDING_SERVICE_UNAVAILABLE', {}, { details: { reason } });
}

/** The transfer of the fee may be mined during one of them. */
const MAX_ATTEMPTS = 2;

interface LentStrategy {
  readonly strategy: Strategy;
  readonly protocol: Protocol;
}

interface DepositRequest extends LentStrategy {
  readonly customerId: CustomerId;
  readonly deposit: ArrivedDeposit;
  readonly continuation: Continuation;
  readonly signal: AbortSignal;
}

/** `undefined` when a fee was paid meanwhile. */
async function requestDeposit(
  deps: OperationDeps,
  { strategy, protocol, customerId, deposit, continuation, signal }: DepositRequest,
): Promise<OperationView | undefined> {
  const { actionId, wallet, output, accountId } = continuation;
  const { arrived, paidFee, maxEntryBps } = deposit;
  const current = (await deps.readFees(customerId)).of(strategy);
  // A fee that was raised after the tokens were sent applies to later deposits only.
  const entryBps = paidFee === undefined ? Math.min(current.entryBps, maxEntryBps) : 0;
  const lending: Lending = {
    customerId,
    actionId,
    strategy,
    protocol,
    fees: uniformFees({ ...current, entryBps }),
    signal,
    request: {
      action: 'lend',
      wallet,
      recipient: deposit.recipient as Address,
      amount: subtractUnits(arrived, paidFee ?? 0n),
      from: undefined,
      slippage: undefined,
      output,
      accountId,
      webhookUrl: undefined,
    },
  };
  const { built, executable } = await buildExecutableOperation(deps, lending);
  if (built.isRouted) await assertWorkersSupport(deps.database, 'routedContinuations');
  if (!(await register(deps, { lending, deposit, built, executable }))) return undefined;
  const route = { origin: originOf(deps, deposit), destination: strategy.chain };
  return operationView({ operation: lending, built, executable, route });
}

const subtractUnits = (amount: bigint, paid: bigint): BaseUnits => toBaseUnits(amount > paid ? amount - paid : 0n);

const originOf = ({ chains }: OperationDeps, { chainIdIn }: ArrivedDeposit): Chain => chains.get(chainIdIn);

interface BuiltDeposit extends Awaited<ReturnType<typeof buildExecutableOperation>> {
  readonly lending: Lending;
  readonly deposit: ArrivedDeposit;
}

/** False when a fee was paid meanwhile: nothing is stored. @throws VALIDATION_ERROR when the deposit was sent meanwhile */
async function register(deps: OperationDeps, { lending, deposit, built, executable }: BuiltDeposit): Promise<boolean> {
  const { customerId, actionId } = lending;
  const { amount: amountOut, minimum: minAmountOut } = built.received;
  const fees = await strategyFeesOf(deps, { operation: lending, built, executable });
  const calls = withFees(operationCalls({ built, executable }, deposit.stepIndex), deposit, {
    fees,
    isRouted: built.isRouted,
  });
  const outcome = await deps.database.$transaction(async (tx) => {
    await lockAction(tx, { customerId, actionId });
    if (!(await isFeeUnchanged(tx, deposit, customerId))) return 'feePaid';
    if (!(await saveDepositTerms(tx, { customerId, actionId }, { amountOut, minAmountOut }))) return 'sent';
    await saveEntryFee(tx, deposit, { customerId, fees });
    await registerCalls(tx, { actionId, customerId, calls });
    return 'registered';
  });
  if (outcome === 'sent')
    throw validationError([{ path: 'actionId', message: 'has nothing to deposit: its deposit was sent' }]);
  return outcome === 'registered';
}
