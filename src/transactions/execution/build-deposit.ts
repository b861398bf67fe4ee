import { parseAddress } from '../../chains/addresses';
import { serviceError } from '../../errors/service-error';
import type { DepositRequest } from '../../venues/quote-provider';
import type { ExecutableDeposit, ExecutableParameters } from './executable';

type DepositTerms = Pick<ExecutableParameters, 'request' | 'offer' | 'output'>;

/**
 * The executable of a deposit that a provider opened, checked against the quote.
 *
 * @throws BYTECODE_GENERATION_FAILED
 */
export function buildDeposit(deposit: DepositRequest, terms: DepositTerms): ExecutableDeposit {
  const { chainId, address, amount, reference } = deposit;
  const problem = findProblem(deposit, terms);
  if (problem !== undefined) {
    throw serviceError('BYTECODE_GENERATION_FAILED', {
      reason: `the deposit that ${terms.offer.provider} opened ${problem}`,
    });
  }
  return { kind: 'deposit', chainId, address, amount, reference, simulation: undefined, gasLimit: undefined };
}

function findProblem(
  { chainId, address, amount }: DepositRequest,
  { request, offer, output }: DepositTerms,
): string | undefined {
  if (chainId !== request.origin.chainId) return 'is on another chain';
  if (parseAddress(request.origin.kind, address) === undefined) return 'has no valid address';
  if (amount !== offer.maxAmountIn) return 'has an amount other than quoted';
  return output === 'bytecode' ? undefined : `is not available with the output ${output}`;
}
