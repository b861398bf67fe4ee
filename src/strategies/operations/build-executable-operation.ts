import { invariant } from '../../errors/invariant-error';
import { buildCallsOutput } from '../../transactions/execution/calls/build-calls-output';
import type { ExecutableCalls } from '../../transactions/execution/executable';
import { buildClaim } from './build-claim';
import { buildLend } from './build-lend';
import { buildWithdraw } from './build-withdraw';
import { lendingProblemError } from './lending-failure';
import type { OperationDeps } from './operation-deps';
import { withOperationParameters } from './operation-parameters';
import { callsOf } from './operation-part';
import { UnfitRouterError } from './simulate-operation';
import {
  type BuiltOperation,
  type Claim,
  type Lending,
  type Operation,
  routeOf,
  type Withdrawal,
} from './resolved-operation';

export interface ExecutableOperation {
  readonly built: BuiltOperation;
  readonly executable: ExecutableCalls;
}

/**
 * Builds and simulates the transactions of an operation, in the form that was requested.
 *
 * @throws what `buildLend`, `buildWithdraw` and `buildClaim` throw; VALIDATION_ERROR with the parameters of operations, although
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
  if (isLending(operation)) return buildLend(deps, operation);
  return isClaim(operation) ? buildClaim(deps, operation) : buildWithdraw(deps, operation);
}

const isLending = (operation: Operation): operation is Lending => operation.request.action === 'lend';
const isClaim = (operation: Withdrawal | Claim): operation is Claim => operation.request.action === 'claim';

/** @throws LENDING_BAD_REQUEST when the account refuses the calls */
async function buildOutput(deps: OperationDeps, operation: Operation, built: BuiltOperation): Promise<ExecutableCalls> {
  const { customerId, actionId, request, signal } = operation;
  const { parts, simulation, gasLimit, swap } = built;
  const { wallet: sender, output, accountId } = request;
  const calls = callsOf(parts);
  const last = calls.at(-1);
  invariant(last !== undefined, 'an operation has a call');
  // All calls that are built are on the chain on which the wallet pays.
  const { origin: chain } = routeOf(operation, built);
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
