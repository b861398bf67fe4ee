import type { Chain } from '../../../chains/chain';
import { isServiceError, serviceError } from '../../../errors/service-error';
import type { SolanaProgramCall } from '../../../venues/quote-provider';
import { providerBuildError } from '../build-with-provider';
import type { ExecutableParameters, ExecutableSolanaTransaction } from '../executable';
import type { BuiltSolanaTransaction, OutputBuilders, SolanaTransactionRequest } from '../output-builders';

type Parameters = Pick<ExecutableParameters, 'actionId' | 'request' | 'offer' | 'sender' | 'output' | 'signal'> & {
  readonly program: SolanaProgramCall;
};

/**
 * Builds a simulated transaction from a provider's instructions, after checking that they match the quote.
 *
 * @throws BYTECODE_GENERATION_FAILED
 */
export async function buildExecutableTransaction(
  deps: Pick<OutputBuilders, 'buildSolanaTransaction'>,
  { program, actionId, request, offer, sender, output, signal }: Parameters,
): Promise<ExecutableSolanaTransaction> {
  const problem = findProblem(program, { origin: request.origin, sender });
  if (problem !== undefined) {
    throw serviceError('BYTECODE_GENERATION_FAILED', {
      reason: `the instructions that ${offer.provider} built ${problem}`,
    });
  }
  const built = await buildOrExplain(deps, { program, actionId, signal });
  return toExecutableTransaction(built, { chainId: program.chainId, sender, output });
}

async function buildOrExplain(
  deps: Pick<OutputBuilders, 'buildSolanaTransaction'>,
  request: SolanaTransactionRequest,
): Promise<BuiltSolanaTransaction> {
  try {
    return await deps.buildSolanaTransaction(request);
  } catch (cause) {
    if (!isServiceError(cause) || cause.code === 'BYTECODE_GENERATION_FAILED') throw cause;
    throw providerBuildError(cause);
  }
}

/** A built transaction as executable. */
export function toExecutableTransaction(
  { rawTransaction, reference, instructions, lookupTables, simulation, computeUnits }: BuiltSolanaTransaction,
  {
    chainId,
    sender,
    output,
  }: Pick<ExecutableSolanaTransaction, 'chainId' | 'sender'> & Pick<ExecutableParameters, 'output'>,
): ExecutableSolanaTransaction {
  return {
    kind: 'solanaTransaction',
    chainId,
    sender,
    rawTransaction,
    reference,
    simulation,
    gasLimit: computeUnits,
    composable: output === 'instructions' ? { instructions, lookupTables } : undefined,
  };
}

function findProblem(
  { chainId, from, instructions }: SolanaProgramCall,
  { origin, sender }: { readonly origin: Chain; readonly sender: string },
): string | undefined {
  if (origin.kind !== 'solana' || chainId !== origin.chainId) return 'are for another chain';
  if (from !== sender) return 'have another sender';
  if (instructions.length === 0) return 'are empty';
  const signers = instructions.flatMap(({ accounts }) => accounts.filter(({ isSigner }) => isSigner));
  const foreignSigner = signers.find(({ pubkey }) => pubkey !== sender);
  return foreignSigner === undefined ? undefined : `require the signature of ${foreignSigner.pubkey}`;
}
