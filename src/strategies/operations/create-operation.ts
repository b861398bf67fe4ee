import type { CustomerId } from '../../auth/principal';
import { assertNotBlocked } from '../../auth/sanctions';
import { invariant } from '../../errors/invariant-error';
import type { RawFields } from '../../errors/field-reader';
import { uuidV7 } from '../../persistence/uuid-v7';
import { assertRecipients } from '../../quotes/request/recipient-check';
import { buildCallsOutput } from '../../transactions/execution/calls/build-calls-output';
import type { ExecutableCalls } from '../../transactions/execution/executable';
import type { Strategy } from '../strategy';
import { buildLend } from './build-lend';
import { buildWithdraw } from './build-withdraw';
import { lendingProblemError } from './lending-failure';
import { withOperationParameters } from './operation-parameters';
import type { OperationDeps } from './operation-deps';
import { callsOf } from './operation-part';
import { operationPlan } from './operation-plan';
import type { OperationRequest } from './operation-request';
import { type OperationView, operationView } from './operation-view';
import { parseOperationRequest } from './parse-operation-request';
import type { BuiltOperation, Lending, Withdrawal } from './resolved-operation';

export interface CreateOperationParameters {
  readonly customerId: CustomerId;
  /** Id, slug or alias. */
  readonly strategyId: string;
  readonly fields: RawFields;
  readonly signal: AbortSignal;
}

/**
 * Builds and simulates the transactions of a deposit into a strategy or of a withdrawal from it, and creates the action. Not
 * idempotent: every call creates an action.
 *
 * @throws STRATEGY_NOT_FOUND, VALIDATION_ERROR, PRICE_IN_USD_NOT_SUPPORTED, EXPIRE_AT_NOT_SUPPORTED, INVALID_SLIPPAGE,
 * FORBIDDEN, FROM_TOKEN_NOT_SUPPORTED, LENDING_BAD_REQUEST, LENDING_SERVICE_UNAVAILABLE, RATE_LIMIT_EXCEEDED; the errors of
 * quotes and of user operations
 */
export async function createOperation(
  deps: OperationDeps,
  { customerId, strategyId, fields, signal }: CreateOperationParameters,
): Promise<OperationView> {
  await deps.strategies.ready();
  const strategy = deps.strategies.get(strategyId);
  const request = parseOperationRequest(deps, strategy, fields);
  assertNotBlocked(deps.blockedAddresses, addressesOf(request));
  assertOneChain(strategy, request);
  await deps.assertMayOpen(customerId, ['openActions']);
  const recipients = [{ path: 'destinationAddress', chain: strategy.chain, address: request.recipient }];
  if (request.recipient !== request.wallet) await assertRecipients(deps, recipients, signal);
  const protocol = deps.protocols[strategy.row.protocol];
  const fees = await deps.readFees(customerId);
  const context = { customerId, actionId: uuidV7(), strategy, protocol, fees, signal };
  const operation: Lending | Withdrawal = request.action === 'lend' ? { ...context, request } : { ...context, request };
  const { built, executable } = await buildAll(deps, operation);
  const plan = await operationPlan(deps, { operation, built, executable });
  await deps.database.$transaction((tx) => deps.startAction(tx, plan));
  return operationView({ operation, built, executable });
}

const addressesOf = (request: OperationRequest): readonly (string | undefined)[] => [
  request.wallet,
  request.recipient,
  request.action === 'lend' ? request.from?.token.address : request.to?.token.address,
];

/** @throws LENDING_BAD_REQUEST when the other token is on another chain */
function assertOneChain({ chain }: Strategy, request: OperationRequest): void {
  const other = request.action === 'lend' ? request.from : request.to;
  if (other === undefined || other.chain.chainId === chain.chainId) return;
  const direction = request.action === 'lend' ? 'deposits from' : 'withdrawals to';
  const message = `${direction} ${other.chain.slug} are not supported by a strategy on ${chain.slug}: bridge the tokens with /v2/swap/quote`;
  throw lendingProblemError({ kind: 'CROSS_CHAIN_NOT_SUPPORTED', message });
}

const isLending = (operation: Lending | Withdrawal): operation is Lending => operation.request.action === 'lend';

/** @throws VALIDATION_ERROR with the parameters of operations, although a swap has others */
async function buildAll(
  deps: OperationDeps,
  operation: Lending | Withdrawal,
): Promise<{ readonly built: BuiltOperation; readonly executable: ExecutableCalls }> {
  try {
    const built = await buildOperation(deps, operation);
    return { built, executable: await buildOutput(deps, operation, built) };
  } catch (cause) {
    throw withOperationParameters(cause, operation.request.action);
  }
}

const buildOperation = (deps: OperationDeps, operation: Lending | Withdrawal): Promise<BuiltOperation> =>
  isLending(operation) ? buildLend(deps, operation) : buildWithdraw(deps, operation);

/** @throws LENDING_BAD_REQUEST when the account refuses the calls */
async function buildOutput(
  deps: OperationDeps,
  { customerId, actionId, strategy, request, signal }: Lending | Withdrawal,
  { parts, simulation, gasLimit, swap }: BuiltOperation,
): Promise<ExecutableCalls> {
  const { wallet: sender, output, accountId } = request;
  const calls = callsOf(parts);
  const last = calls.at(-1);
  invariant(last !== undefined, 'an operation has a call');
  const terms = { customerId, actionId, chain: strategy.chain, sender, output, accountId, signal };
  const executable = await buildCallsOutput(
    deps,
    { ...terms, sponsored: false, deadline: swap?.deadline },
    { approvals: calls.slice(0, -1), swap: last, simulation, gasLimit },
  );
  const { status, reason = 'without a reason' } = executable.simulation;
  if (status !== 'REVERTED') return executable;
  throw lendingProblemError({ kind: 'REVERTED', message: `the user operation would revert: ${reason}` });
}
