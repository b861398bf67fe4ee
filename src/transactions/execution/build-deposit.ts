import { parseAddress } from '../../chains/addresses';
import { serviceError } from '../../errors/service-error';
import type { DepositRequest } from '../../venues/quote-provider';
import type { ExecutableDeposit, ExecutableParameters } from './executable';

type Order = Pick<ExecutableParameters, 'request' | 'offer' | 'output'>;

/**
 * A deposit as it is handed out, checked against what was quoted.
 *
 * @throws BYTECODE_GENERATION_FAILED
 */
export function executableDeposit(deposit: DepositRequest, order: Order): ExecutableDeposit {
  const { chainId, address, amount, reference } = deposit;
  const flaw = flawOf(deposit, order);
  if (flaw !== undefined) {
    throw serviceError('BYTECODE_GENERATION_FAILED', {
      reason: `the deposit that ${order.offer.provider} opened ${flaw}`,
    });
  }
  return { kind: 'deposit', chainId, address, amount, reference, simulation: undefined, gasLimit: undefined };
}

function flawOf({ chainId, address, amount }: DepositRequest, { request, offer, output }: Order): string | undefined {
  if (chainId !== request.origin.chainId) return 'is on another chain';
  if (parseAddress(request.origin.kind, address) === undefined) return 'has no valid address';
  if (amount !== offer.maxAmountIn) return 'is of another amount than was quoted';
  return output === 'bytecode' ? undefined : `cannot be made as ${output}`;
}
