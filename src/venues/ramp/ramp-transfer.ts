import { type Address, encodeFunctionData, erc20Abi } from 'viem';
import { isServiceError, serviceError } from '../../errors/service-error';
import type { BaseUnits } from '../../money/base-units';
import type { RampRoute } from '../../ramps/ramp-provider';
import type { Token } from '../../tokens/token';
import type { ProviderExecution, SolanaProgramCall } from '../quote-provider';

/** A token transfer on Solana. */
export interface SolanaTokenTransfer {
  readonly token: Token;
  readonly amount: BaseUnits;
  readonly sender: string;
  /** A wallet; its token account is created when it does not exist. */
  readonly recipient: string;
  readonly memo: string | undefined;
  /** False: the balance of the sender is not checked here. */
  readonly checksFunds: boolean;
  readonly signal: AbortSignal;
}

export interface RampTransferDeps {
  /** @throws TRANSFER_VALIDATION_FAILED when it cannot succeed, PROVIDER_UNAVAILABLE */
  transferInstructions(transfer: SolanaTokenTransfer): Promise<SolanaProgramCall>;
}

/** A token transfer to the deposit address of a ramp. */
export interface RampTransfer {
  readonly route: RampRoute;
  readonly amount: BaseUnits;
  readonly sender: string;
  readonly depositAddress: string;
  /** Memo that identifies the payment on Solana. */
  readonly memo: string | undefined;
}

/** Builds the token transfer to the ramp. @throws BYTECODE_GENERATION_FAILED, PROVIDER_UNAVAILABLE */
export async function buildDepositTransfer(
  deps: RampTransferDeps,
  { route, amount, sender, depositAddress, memo }: RampTransfer,
  signal: AbortSignal,
): Promise<ProviderExecution> {
  const { chain, token } = route;
  if (chain.kind === 'solana') {
    const transfer = { token, amount, sender, recipient: depositAddress, memo, checksFunds: false, signal };
    return deps.transferInstructions(transfer).catch((cause: unknown) => {
      throw asBuildError(cause);
    });
  }
  const args = [depositAddress as Address, amount] as const;
  return {
    kind: 'call',
    chainId: chain.chainId,
    from: sender,
    to: token.address,
    value: 0n,
    spender: undefined,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }),
  };
}

/** The transfer routes have an error code of their own. */
function asBuildError(cause: unknown): unknown {
  if (!isServiceError(cause) || cause.code !== 'TRANSFER_VALIDATION_FAILED') return cause;
  return serviceError('BYTECODE_GENERATION_FAILED', { reason: cause.message }, { cause });
}
