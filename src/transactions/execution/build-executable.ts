import { serviceError } from '../../errors/service-error';
import { buildExecution } from './build-with-provider';
import type { ExecutableDeps, ExecutableParameters, ExecutableSwap } from './executable';
import { executableCalls } from './calls/build-calls';
import { executableDeposit } from './build-deposit';
import { executableInstructions } from './solana/executable-transaction';

/**
 * What executes a quote: calls with the approvals that their sender still lacks, a Solana transaction, a deposit, or a payment.
 * What can be tried is tried on the newest state. That it would revert is told by `simulation`, not thrown; what breaks
 * the quote is thrown.
 *
 * @throws PROVIDER_NOT_FOUND when nobody serves the quote any more; BRIDGE_API_ERROR, QUOTE_EXPIRED and the codes of
 * amounts when the provider says so; the codes of ramps and of Pix; BYTECODE_GENERATION_FAILED when nothing can be built or it does not fit the quote
 */
export async function executableSwap(deps: ExecutableDeps, parameters: ExecutableParameters): Promise<ExecutableSwap> {
  const execution = await buildExecution(deps, parameters);
  switch (execution.kind) {
    case 'call':
      return executableCalls(deps, { ...parameters, call: execution });
    case 'instructions':
      return executableInstructions(deps, { ...parameters, program: execution });
    case 'deposit':
      return executableDeposit(execution, parameters);
    case 'payment': {
      const qrCodeUrl = execution.instructions.pix === undefined ? undefined : deps.qrCodeUrl(parameters.actionId);
      return { ...execution, qrCodeUrl, simulation: undefined, gasLimit: undefined };
    }
  }
}

/** A simulated revert as the bytecode routes report it. @throws SWAP_EXECUTION_FAILED */
export function assertExecutes({ simulation }: Pick<ExecutableSwap, 'simulation'>): void {
  if (simulation?.status !== 'REVERTED') return;
  throw serviceError('SWAP_EXECUTION_FAILED', {
    reason: `it would revert: ${simulation.reason ?? 'without a reason'}`,
  });
}
