import { type Address, encodeFunctionData, erc20Abi } from 'viem';
import { isServiceError, serviceError } from '../../errors/service-error';
import type { BaseUnits } from '../../money/base-units';
import type { RampRoute } from '../../ramps/ramp-provider';
import type { Token } from '../../tokens/token';
import type { Execution, SolanaProgramCall } from '../quote-provider';

/** A transfer of a token on Solana. */
export interface SolanaTokenTransfer {
  readonly token: Token;
  readonly amount: BaseUnits;
  readonly sender: string;
  /** A wallet; its token account is opened when it has none. */
  readonly recipient: string;
  readonly memo: string | undefined;
  /** False: whether the sender has enough is left to whoever tries the transaction. */
  readonly checksFunds: boolean;
  readonly signal: AbortSignal;
}

export interface RampTransferDeps {
  /** @throws TRANSFER_VALIDATION_FAILED when it cannot succeed, PROVIDER_UNAVAILABLE */
  transferInstructions(transfer: SolanaTokenTransfer): Promise<SolanaProgramCall>;
}

/** A token on its way to the address at which a ramp takes it. */
export interface RampTransfer {
  readonly route: RampRoute;
  readonly amount: BaseUnits;
  readonly sender: string;
  readonly depositAddress: string;
  /** By which the payment is known on Solana. */
  readonly memo: string | undefined;
}

/** A plain transfer is all that has to be signed. @throws BYTECODE_GENERATION_FAILED, PROVIDER_UNAVAILABLE */
export async function transferTo(
  deps: RampTransferDeps,
  { route, amount, sender, depositAddress, memo }: RampTransfer,
  signal: AbortSignal,
): Promise<Execution> {
  const { chain, token } = route;
  if (chain.kind === 'solana') {
    const transfer = { token, amount, sender, recipient: depositAddress, memo, checksFunds: false, signal };
    return deps.transferInstructions(transfer).catch((cause: unknown) => {
      throw asNotBuilt(cause);
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

/** What is wrong with a transfer is told by the routes of transfers in their own code. */
function asNotBuilt(cause: unknown): unknown {
  if (!isServiceError(cause) || cause.code !== 'TRANSFER_VALIDATION_FAILED') return cause;
  return serviceError('BYTECODE_GENERATION_FAILED', { reason: cause.message }, { cause });
}
