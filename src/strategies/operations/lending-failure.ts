import { isServiceError, serviceError, type ServiceError } from '../../errors/service-error';
import type { Token } from '../../tokens/token';
import type { ProtocolProblem } from '../protocols/protocol';
import type { Strategy } from '../strategy';

/** Why an operation is refused, in `details.kind`: a problem of the protocol, or one of the following. */
export type LendingProblemKind =
  | ProtocolProblem['kind']
  /** The simulation of the transactions reverted. */
  | 'REVERTED'
  /** The simulated transactions move other amounts than the protocol stated. */
  | 'UNEXPECTED_EFFECTS'
  /** The other chain is not an EVM chain: the wallet has no address there. */
  | 'CROSS_CHAIN_NOT_SUPPORTED'
  /** The tokens that are to be deposited have not arrived yet. */
  | 'NOT_ARRIVED'
  /** The wallet has nothing to claim. */
  | 'NO_REWARDS';

interface LendingProblem {
  readonly kind: LendingProblemKind;
  readonly message: string;
  /** Largest possible amount, in base units of the token. */
  readonly maximum?: { readonly amount: bigint; readonly token: Pick<Token, 'symbol' | 'decimals'> } | undefined;
}

/**
 * LENDING_BAD_REQUEST with `details.kind`, `details.reason` and the largest amount, if there is one: `details.maximum` in base
 * units of the token `details.currency`. The request may have stated the amount in another token.
 */
export function lendingProblemError({ kind, message, maximum }: LendingProblem): ServiceError {
  const largest = maximum && {
    maximum: maximum.amount.toString(),
    currency: maximum.token.symbol,
    decimals: maximum.token.decimals,
  };
  return serviceError('LENDING_BAD_REQUEST', { reason: message }, { details: { kind, reason: message, ...largest } });
}

/** The error for a problem of a protocol, which states amounts of the underlying asset. */
export function protocolProblemError(
  { underlying }: Pick<Strategy, 'underlying'>,
  { kind, message, maximum }: ProtocolProblem,
): ServiceError {
  const largest = maximum === undefined ? undefined : { amount: maximum, token: underlying };
  return lendingProblemError({ kind, message, maximum: largest });
}

/**
 * Runs work that reads the chain of a strategy.
 *
 * @throws LENDING_SERVICE_UNAVAILABLE when the chain does not respond; the other errors of the work
 */
export async function readingChain<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (cause) {
    if (!isServiceError(cause) || cause.code !== 'PROVIDER_UNAVAILABLE') throw cause;
    throw serviceError('LENDING_SERVICE_UNAVAILABLE', {}, { details: { reason: cause.message }, cause });
  }
}

/** Contracts of the chain did not respond as they should; `what` could not be read. */
export const unreadableError = (what: string): ServiceError =>
  serviceError('LENDING_SERVICE_UNAVAILABLE', {}, { details: { reason: `${what} could not be read` } });
