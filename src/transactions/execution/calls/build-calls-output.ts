import type { Address } from 'viem';
import type { CustomerId } from '../../../auth/principal';
import type { Chain } from '../../../chains/chain';
import { invariant } from '../../../errors/invariant-error';
import type { UnsignedCall } from '../../../venues/quote-provider';
import type { SimulationView } from '../../../quotes/quote-view';
import type { Output } from '../../../quotes/request/swap-intent';
import type { ExecutableCalls } from '../executable';
import type { OutputBuilders } from '../output-builders';
import { unfundedError } from '../unfunded-error';

/** The requested output, and the parameters to build it. */
export interface CallsOutputRequest {
  readonly customerId: CustomerId;
  readonly actionId: string;
  readonly chain: Chain;
  readonly sender: string;
  readonly output: Output;
  /** Only with the output `custody`. */
  readonly accountId: string | undefined;
  readonly sponsored: boolean;
  /** When the calls expire; they do not when `undefined`. */
  readonly deadline: Date | undefined;
  readonly signal: AbortSignal;
}

/** Simulated calls: approvals, and the call that they are for. */
export type CallBundle = Pick<ExecutableCalls, 'approvals' | 'swap' | 'minNonce' | 'simulation' | 'gasLimit'>;
type Builders = Pick<OutputBuilders, 'buildUserOperation' | 'custodyPayloads'>;

/**
 * Builds the requested output from simulated calls. Calls that would revert stay plain calls: no user operation or custody
 * payload is built from them.
 *
 * @throws VALIDATION_ERROR on `originAddress` when it lacks the funds for a sponsored operation; the errors of
 * `buildUserOperation`
 */
export async function buildCallsOutput(
  deps: Builders,
  request: CallsOutputRequest,
  bundle: CallBundle,
): Promise<ExecutableCalls> {
  const { approvals, swap, minNonce, simulation, gasLimit } = bundle;
  const calls = [...approvals, swap];
  const output = simulation.status === 'REVERTED' ? 'bytecode' : request.output;
  const custody = output === 'custody' ? buildCustody(deps, request, calls) : undefined;
  const executable = {
    kind: 'calls' as const,
    approvals,
    swap,
    minNonce,
    simulation,
    gasLimit,
    custody,
    userOperation: undefined,
  };
  if (output !== 'userOperation') return executable;
  const { customerId, chain, sender, sponsored, actionId, deadline, signal } = request;
  if (sponsored && simulation.status === 'INSUFFICIENT_BALANCE') throw unfundedError(simulation.reason ?? '');
  const account = sender as Address;
  const parties = { customerId, chain, account, actionId };
  const built = await deps.buildUserOperation({ ...parties, calls, sponsored, deadline, signal });
  return {
    ...executable,
    userOperation: { ...built, account },
    simulation: combineSimulations(simulation, built.simulation),
    gasLimit: built.gasLimit ?? gasLimit,
  };
}

/** The account may refuse calls that succeed by themselves. A shortage of funds takes precedence over a revert. */
function combineSimulations(calls: SimulationView, operation: SimulationView): SimulationView {
  if (calls.status === 'SUCCESS') return operation;
  return calls.status === 'UNAVAILABLE' && operation.status === 'REVERTED' ? operation : calls;
}

function buildCustody(deps: Builders, request: CallsOutputRequest, calls: readonly UnsignedCall[]): readonly object[] {
  const { accountId, actionId, chain } = request;
  invariant(accountId !== undefined, 'a custody payload needs an account');
  return deps.custodyPayloads(calls, { accountId, chain, actionId });
}
