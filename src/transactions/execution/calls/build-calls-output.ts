import type { Address } from 'viem';
import type { CustomerId } from '../../../auth/principal';
import type { Chain } from '../../../chains/chain';
import { invariant } from '../../../errors/invariant-error';
import type { UnsignedCall } from '../../../venues/quote-provider';
import type { SimulationView } from '../../../quotes/quote-view';
import type { Output } from '../../../quotes/request/swap-intent';
import type { ExecutableCalls } from '../executable';
import type { OutputBuilders } from '../output-builders';

/** What tried calls are wanted as. */
export interface OutputOrder {
  readonly customerId: CustomerId;
  readonly actionId: string;
  readonly chain: Chain;
  readonly sender: string;
  readonly output: Output;
  /** With the output `custody`. */
  readonly accountId: string | undefined;
  readonly sponsored: boolean;
  /** When the calls end; never when `undefined`. */
  readonly deadline: Date | undefined;
  readonly signal: AbortSignal;
}

export type TriedCalls = Pick<ExecutableCalls, 'approvals' | 'swap' | 'simulation' | 'gasLimit'>;
type Builders = Pick<OutputBuilders, 'buildUserOperation' | 'custodyPayloads'>;

/**
 * Tried calls in the form that was asked for. What would revert is not handed out, in no form.
 *
 * @throws what `buildUserOperation` throws
 */
export async function callsOutput(deps: Builders, order: OutputOrder, tried: TriedCalls): Promise<ExecutableCalls> {
  const { approvals, swap, simulation, gasLimit } = tried;
  const calls = [...approvals, swap];
  const output = simulation.status === 'REVERTED' ? 'bytecode' : order.output;
  const custody = output === 'custody' ? custodyOf(deps, order, calls) : undefined;
  const made = { kind: 'calls' as const, approvals, swap, simulation, gasLimit, custody, userOperation: undefined };
  if (output !== 'userOperation') return made;
  const { customerId, chain, sender, sponsored, actionId, deadline, signal } = order;
  const account = sender as Address;
  const parties = { customerId, chain, account, actionId };
  const built = await deps.buildUserOperation({ ...parties, calls, sponsored, deadline, signal });
  return {
    ...made,
    userOperation: { ...built, account },
    simulation: lastWord(simulation, built.simulation),
    gasLimit: built.gasLimit ?? gasLimit,
  };
}

/** The account may refuse what the calls alone do not show; who lacks the funds need not be told how it fails. */
function lastWord(calls: SimulationView, operation: SimulationView): SimulationView {
  if (calls.status === 'SUCCESS') return operation;
  return calls.status === 'UNAVAILABLE' && operation.status === 'REVERTED' ? operation : calls;
}

function custodyOf(deps: Builders, order: OutputOrder, calls: readonly UnsignedCall[]): readonly object[] {
  const { accountId, actionId, chain } = order;
  invariant(accountId !== undefined, 'a custody payload needs an account');
  return deps.custodyPayloads(calls, { accountId, chain, actionId });
}
