import type { BaseUnits } from '../../money/base-units';
import type { SolanaProgramCall } from '../../venues/quote-provider';
import type { Token } from '../../tokens/token';
import type { ExecutableSolanaTransaction } from '../execution/executable';
import { toExecutableTransaction } from '../execution/solana/executable-transaction';
import type { OutputBuilders } from '../execution/output-builders';
import { problemFromRevert } from './explain-transfer-revert';
import { transferError } from './transfer-problem';
import type { ResolvedTransfer } from './resolved-transfer';

export interface SolanaTransferRequest {
  readonly token: Token;
  readonly amount: BaseUnits;
  readonly sender: string;
  readonly recipient: string;
  readonly memo: string | undefined;
  readonly signal: AbortSignal;
}

export interface SolanaTransferDeps extends Pick<OutputBuilders, 'buildSolanaTransaction'> {
  /** Builds the instructions that transfer SOL or a token. @throws TRANSFER_VALIDATION_FAILED, PROVIDER_UNAVAILABLE */
  transferInstructions(request: SolanaTransferRequest): Promise<SolanaProgramCall>;
}

/**
 * Builds and simulates the transaction of a transfer on Solana.
 *
 * @throws TRANSFER_VALIDATION_FAILED, BYTECODE_GENERATION_FAILED, PROVIDER_UNAVAILABLE
 */
export async function buildSolanaTransfer(
  deps: SolanaTransferDeps,
  transfer: ResolvedTransfer,
): Promise<ExecutableSolanaTransaction> {
  const { actionId, chain, token, amount, sender, recipient, output, memo, signal } = transfer;
  const program = await deps.transferInstructions({ token, amount, sender, recipient, memo, signal });
  const built = await deps.buildSolanaTransaction({ program, actionId, signal });
  const { status, reason = 'without a reason' } = built.simulation;
  if (status === 'REVERTED') throw transferError(problemFromRevert(reason));
  if (status === 'INSUFFICIENT_BALANCE') throw transferError({ kind: status, reason });
  return toExecutableTransaction(built, { chainId: chain.chainId, sender, output });
}
