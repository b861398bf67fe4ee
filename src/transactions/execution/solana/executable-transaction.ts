import type { Chain } from '../../../chains/chain';
import { isServiceError, serviceError } from '../../../errors/service-error';
import type { SolanaProgramCall } from '../../../venues/quote-provider';
import { notBuilt } from '../build-with-provider';
import type { ExecutableParameters, ExecutableProgram } from '../executable';
import type { BuiltProgram, OutputBuilders, ProgramRequest } from '../output-builders';

type Parameters = Pick<ExecutableParameters, 'actionId' | 'request' | 'offer' | 'sender' | 'output' | 'signal'> & {
  readonly program: SolanaProgramCall;
};

/**
 * Instructions of a provider as a transaction, checked against what was quoted and tried.
 *
 * @throws BYTECODE_GENERATION_FAILED
 */
export async function executableInstructions(
  deps: Pick<OutputBuilders, 'executeProgram'>,
  { program, actionId, request, offer, sender, output, signal }: Parameters,
): Promise<ExecutableProgram> {
  const flaw = flawOf(program, { origin: request.origin, sender });
  if (flaw !== undefined) {
    throw serviceError('BYTECODE_GENERATION_FAILED', {
      reason: `the instructions that ${offer.provider} built ${flaw}`,
    });
  }
  const built = await execute(deps, { program, actionId, signal });
  return programOf(built, { chainId: program.chainId, sender, output });
}

async function execute(deps: Pick<OutputBuilders, 'executeProgram'>, request: ProgramRequest): Promise<BuiltProgram> {
  try {
    return await deps.executeProgram(request);
  } catch (cause) {
    if (!isServiceError(cause) || cause.code === 'BYTECODE_GENERATION_FAILED') throw cause;
    throw notBuilt(cause);
  }
}

/** A built transaction as it is handed out. */
export function programOf(
  { rawTransaction, reference, instructions, lookupTables, simulation, computeUnits }: BuiltProgram,
  { chainId, sender, output }: Pick<ExecutableProgram, 'chainId' | 'sender'> & Pick<ExecutableParameters, 'output'>,
): ExecutableProgram {
  return {
    kind: 'program',
    chainId,
    sender,
    rawTransaction,
    reference,
    simulation,
    gasLimit: computeUnits,
    composable: output === 'instructions' ? { instructions, lookupTables } : undefined,
  };
}

function flawOf(
  { chainId, from, instructions }: SolanaProgramCall,
  order: { readonly origin: Chain; readonly sender: string },
): string | undefined {
  if (order.origin.kind !== 'solana' || chainId !== order.origin.chainId) return 'are for another chain';
  if (from !== order.sender) return 'have another sender';
  if (instructions.length === 0) return 'are none';
  const signers = instructions.flatMap(({ accounts }) => accounts.filter(({ isSigner }) => isSigner));
  const stranger = signers.find(({ pubkey }) => pubkey !== order.sender);
  return stranger === undefined ? undefined : `ask for the signature of ${stranger.pubkey}`;
}
