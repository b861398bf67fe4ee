import type { BaseUnits } from '../../money/base-units';
import type { SolanaProgramCall } from '../../venues/quote-provider';
import type { Token } from '../../tokens/token';
import type { ExecutableProgram } from '../execution/executable';
import { programOf } from '../execution/solana/executable-transaction';
import type { OutputBuilders } from '../execution/output-builders';
import { flawInWords } from './explain-revert';
import { invalidTransfer } from './transfer-problem';
import type { TransferOrder } from './transfer-order';

export interface SolanaTransferRequest {
  readonly token: Token;
  readonly amount: BaseUnits;
  readonly sender: string;
  readonly recipient: string;
  readonly memo: string | undefined;
  readonly signal: AbortSignal;
}

export interface SolanaTransferDeps extends Pick<OutputBuilders, 'executeProgram'> {
  /** Instructions that transfer SOL or a token. @throws TRANSFER_VALIDATION_FAILED, PROVIDER_UNAVAILABLE */
  transferInstructions(request: SolanaTransferRequest): Promise<SolanaProgramCall>;
}

/**
 * The transaction of a transfer on Solana, tried.
 *
 * @throws TRANSFER_VALIDATION_FAILED, BYTECODE_GENERATION_FAILED, PROVIDER_UNAVAILABLE
 */
export async function solanaTransfer(deps: SolanaTransferDeps, order: TransferOrder): Promise<ExecutableProgram> {
  const { actionId, chain, token, amount, sender, recipient, output, memo, signal } = order;
  const program = await deps.transferInstructions({ token, amount, sender, recipient, memo, signal });
  const built = await deps.executeProgram({ program, actionId, signal });
  const { status, reason = 'without a reason' } = built.simulation;
  if (status === 'REVERTED') throw invalidTransfer(flawInWords(reason));
  if (status === 'INSUFFICIENT_BALANCE') throw invalidTransfer({ kind: status, reason });
  return programOf(built, { chainId: chain.chainId, sender, output });
}
