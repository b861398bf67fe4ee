import { serviceError } from '../../errors/service-error';
import { buildWithProvider } from './build-with-provider';
import type { ExecutableDeps, ExecutableParameters, Executable } from './executable';
import { buildCalls } from './calls/build-calls';
import { buildDeposit } from './build-deposit';
import { buildExecutableTransaction } from './solana/executable-transaction';

/**
 * Builds the executable of a quote: calls with the approvals that the sender lacks, a Solana transaction, a deposit, or a
 * payment. Calls and transactions are simulated on the latest state. A revert is reported in `simulation`, not thrown; a
 * deviation from the quote is thrown.
 *
 * @throws PROVIDER_NOT_FOUND when the quote's provider is not registered any more; BRIDGE_API_ERROR, QUOTE_EXPIRED and the
 * AMOUNT_ codes as reported by the provider; the codes of ramps and of Pix; BYTECODE_GENERATION_FAILED when the provider's
 * result cannot be built or does not match the quote
 */
export async function buildExecutable(deps: ExecutableDeps, parameters: ExecutableParameters): Promise<Executable> {
  const execution = await buildWithProvider(deps, parameters);
  switch (execution.kind) {
    case 'call':
      return buildCalls(deps, { ...parameters, call: execution });
    case 'instructions':
      return buildExecutableTransaction(deps, { ...parameters, program: execution });
    case 'deposit':
      return buildDeposit(execution, parameters);
    case 'payment': {
      const qrCodeUrl = execution.instructions.pix === undefined ? undefined : deps.qrCodeUrl(parameters.actionId);
      return { ...execution, qrCodeUrl, simulation: undefined, gasLimit: undefined };
    }
  }
}

/** @throws SWAP_EXECUTION_FAILED when the simulation reverted */
export function assertExecutes({ simulation }: Pick<Executable, 'simulation'>): void {
  if (simulation?.status !== 'REVERTED') return;
  throw serviceError('SWAP_EXECUTION_FAILED', {
    reason: `it would revert: ${simulation.reason ?? 'without a reason'}`,
  });
}
