import { invariant } from '../../errors/invariant-error';
import { buildCallsOutput } from '../../transactions/execution/calls/build-calls-output';
import type { ExecutableCalls } from '../../transactions/execution/executable';
import { buildClaim } from './build-claim';
import { buildDepositClaim } from './build-deposit-claim';
import { buildLend } from './build-lend';
import { buildWithdraw } from './build-withdraw';
import { buildWithdrawRequest } from './build-withdraw-request';
import { lendingProblemError } from './lending-failure';
import type { OperationDeps } from './operation-deps';
import { withOperationParameters } from './operation-parameters';
import { callsOf } from './operation-part';
import { type BuiltOperation, type Operation, operationRoute } from './resolved-operation';
import { UnfitRouterError } from './simulate-strategy-operation';

export interface ExecutableOperation {
  readonly built: BuiltOperation;
  readonly executable: ExecutableCalls;
}

/**
 * Builds and simulates the transactions of an operation, in the form that was requested.
 *
 * @throws what the functions throw that build one operation each; VALIDATION_ERROR with the parameters of operations, although
 * a swap has others
 */
export async function buildExecutableOperation(
  deps: OperationDeps,
  operation: Operation,
): Promise<ExecutableOperation> {
  try {
    const built = await buildWithOrWithoutRouter(deps, operation);
    return { built, executable: await buildOutput(deps, operation, built) };
  } catch (cause) {
    throw withOperationParameters(cause, operation.request.action);
  }
}

/** A token that takes a fee on transfers is deposited without the router, as on a chain that has none. */
async function buildWithOrWithoutRouter(deps: OperationDeps, operation: Operation): Promise<BuiltOperation> {
  try {
    return await build(deps, operation);
  } catch (error) {
    if (!(error instanceof UnfitRouterError)) throw error;
    return build({ ...deps, findRouter: () => Promise.resolve(undefined) }, operation);
  }
}

function build(deps: OperationDeps, operation: Operation): Promise<BuiltOperation> {
  const { request, ...context } = operation;
  switch (request.action) {
    case 'lend':
    case 'request-lend':
      return buildLend(deps, { ...context, request });
    case 'claim-lend':
      return buildDepositClaim(deps, { ...context, request });
    case 'withdraw':
      return buildWithdraw(deps, { ...context, request });
    case 'request-withdraw':
      return buildWithdrawRequest(deps, { ...context, request });
    case 'claim':
      return buildClaim(deps, { ...context, request });
  }
}

/** @throws LENDING_BAD_REQUEST when the account refuses the calls */
async function buildOutput(deps: OperationDeps, operation: Operation, built: BuiltOperation): Promise<ExecutableCalls> {
  const { customerId, actionId, request, signal } = operation;
  const { parts, simulation, gasLimit, swap } = built;
  const { wallet: sender, output, accountId } = request;
  const calls = callsOf(parts);
  const last = calls.at(-1);
  invariant(last !== undefined, 'an operation has a call');
  // All calls that are built are on the chain on which the wallet pays.
  const { origin: chain } = operationRoute(operation, built);
  const terms = { customerId, actionId, chain, sender, output, accountId, signal };
  const executable = await buildCallsOutput(
    deps,
    { ...terms, sponsored: false, deadline: swap?.deadline },
    { approvals: calls.slice(0, -1), swap: last, simulation, gasLimit },
  );
  const { status, reason = 'without a reason' } = executable.simulation;
  if (status !== 'REVERTED') return executable;
  throw lendingProblemError({ kind: 'REVERTED', message: `the user operation would revert: ${reason}` });
}
