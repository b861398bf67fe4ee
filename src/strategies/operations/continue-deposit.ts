import type { Address } from 'viem';
import { registerCalls } from '../../actions/register-calls';
import type { CustomerId } from '../../auth/principal';
import { assertNotBlocked } from '../../auth/sanctions';
import type { RawFields } from '../../errors/field-reader';
import { validationError } from '../../errors/validation';
import type { Chain } from '../../chains/chain';
import { uniformFees } from '../fees/customer-fees';
import type { Protocol } from '../protocols/protocol';
import type { Strategy } from '../strategy';
import { type ArrivedDeposit, findArrivedDeposit, saveDepositTerms } from './arrived-deposit';
import { saveEntryFee } from './entry-fee';
import { buildExecutableOperation } from './build-executable-operation';
import type { OperationDeps } from './operation-deps';
import { operationCalls, strategyFeesOf } from './operation-plan';
import { type OperationView, operationView } from './operation-view';
import { parseContinuation } from './parse-continuation';
import type { Lending } from './resolved-operation';

export interface ContinueDepositParameters {
  readonly customerId: CustomerId;
  readonly fields: RawFields;
  readonly signal: AbortSignal;
}

/**
 * Builds and simulates the deposit of the tokens that have arrived from another chain, all of them, for the action that moved
 * them. Idempotent in its effect: a repeated request returns fresh transactions for the same action.
 *
 * @throws VALIDATION_ERROR, FORBIDDEN, ACTION_NOT_FOUND, LENDING_BAD_REQUEST, LENDING_SERVICE_UNAVAILABLE; the errors of user
 * operations
 */
export async function continueDeposit(
  deps: OperationDeps,
  { strategy, protocol }: { readonly strategy: Strategy; readonly protocol: Protocol },
  { customerId, fields, signal }: ContinueDepositParameters,
): Promise<OperationView> {
  const { actionId, wallet, output, accountId } = parseContinuation(strategy, fields);
  assertNotBlocked(deps.blockedAddresses, [wallet]);
  const deposit = await findArrivedDeposit(deps.database, {
    customerId,
    actionId,
    strategyId: strategy.row.id,
    wallet,
  });
  const current = (await deps.readFees(customerId)).of(strategy);
  // A fee that was raised after the tokens were sent applies to later deposits only.
  const fees = uniformFees({ ...current, entryBps: Math.min(current.entryBps, deposit.maxEntryBps) });
  const lending: Lending = {
    customerId,
    actionId,
    strategy,
    protocol,
    fees,
    signal,
    request: {
      action: 'lend',
      wallet,
      recipient: deposit.recipient as Address,
      amount: deposit.arrived,
      from: undefined,
      slippage: undefined,
      output,
      accountId,
      webhookUrl: undefined,
    },
  };
  const { built, executable } = await buildExecutableOperation(deps, lending);
  await register(deps, { lending, deposit, built, executable });
  const route = { origin: originOf(deps, deposit), destination: strategy.chain };
  return operationView({ operation: lending, built, executable, route });
}

const originOf = ({ chains }: OperationDeps, { chainIdIn }: ArrivedDeposit): Chain => chains.get(chainIdIn);

interface BuiltDeposit extends Awaited<ReturnType<typeof buildExecutableOperation>> {
  readonly lending: Lending;
  readonly deposit: ArrivedDeposit;
}

/** @throws VALIDATION_ERROR when the deposit was sent meanwhile */
async function register(deps: OperationDeps, { lending, deposit, built, executable }: BuiltDeposit): Promise<void> {
  const { customerId, actionId } = lending;
  const { amount: amountOut, minimum: minAmountOut } = built.received;
  const calls = operationCalls({ built, executable }, deposit.stepIndex);
  const fees = await strategyFeesOf(deps, { operation: lending, built, executable });
  const isOpen = await deps.database.$transaction(async (tx) => {
    if (!(await saveDepositTerms(tx, { customerId, actionId }, { amountOut, minAmountOut }))) return false;
    await saveEntryFee(tx, deposit, { customerId, fees });
    await registerCalls(tx, { actionId, customerId, calls });
    return true;
  });
  if (!isOpen) throw validationError([{ path: 'actionId', message: 'has nothing to deposit: its deposit was sent' }]);
}
