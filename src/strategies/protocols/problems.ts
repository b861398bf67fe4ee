import { formatBaseUnits } from '../../money/base-units';
import type { RequestSide, Strategy } from '../strategy';
import type { ProtocolProblem } from './protocol';

/** An amount of the underlying asset for people: `1.5 USDC`. */
export const amountText = ({ underlying }: Pick<Strategy, 'underlying'>, assets: bigint): string =>
  `${formatBaseUnits(assets, underlying.decimals)} ${underlying.symbol}`;

export const depositsPaused = (message: string): ProtocolProblem => ({ kind: 'DEPOSITS_PAUSED', message, maximum: 0n });

export const withdrawalsPaused = (message: string): ProtocolProblem => ({
  kind: 'WITHDRAWALS_PAUSED',
  message,
  maximum: 0n,
});

/** The deposit is larger than what the market still accepts. */
export const depositLimit = (strategy: Strategy, maximum: bigint): ProtocolProblem => ({
  kind: 'DEPOSIT_LIMIT',
  message:
    maximum === 0n
      ? 'The market is full: it accepts no further deposits at present.'
      : `The market accepts at most ${amountText(strategy, maximum)} more at present.`,
  maximum,
});

/** The market lends so much that it cannot pay the withdrawal. */
export const tooLittleLiquidity = (strategy: Strategy, maximum: bigint): ProtocolProblem => ({
  kind: 'LIQUIDITY',
  message: `The market can pay at most ${amountText(strategy, maximum)} at present. Withdraw less, or try again later.`,
  maximum,
});

/** The withdrawal is larger than the deposit. */
export const tooLargeForDeposit = (strategy: Strategy, maximum: bigint): ProtocolProblem => ({
  kind: 'BALANCE',
  message:
    maximum === 0n
      ? 'The wallet has no deposit in this strategy.'
      : `The wallet's deposit is worth ${amountText(strategy, maximum)}.`,
  maximum,
});

/** The wallet has fewer tokens than it would deposit. */
export const tooFewTokens = (strategy: Strategy, maximum: bigint): ProtocolProblem => ({
  kind: 'BALANCE',
  message: `The wallet has ${amountText(strategy, maximum)}.`,
  maximum,
});

export const tooSmall = (message: string): ProtocolProblem => ({ kind: 'TOO_SMALL', message });

/** What a wallet has requested on one side, in base units of the underlying asset. */
export interface RequestedParts {
  readonly claimable: bigint;
  readonly pending: bigint;
}

/** A claim takes more than the vault has fulfilled. `undefined` when it does not. */
export function notClaimable(
  strategy: Strategy,
  { side, amount }: { readonly side: RequestSide; readonly amount: bigint },
  { claimable, pending }: RequestedParts,
): ProtocolProblem | undefined {
  const name = side === 'lend' ? 'deposit' : 'withdrawal';
  const rest =
    pending === 0n ? '' : ` ${amountText(strategy, pending)} are pending until the vault fulfils the request.`;
  if (claimable > 0n && amount <= claimable) return undefined;
  const message =
    claimable === 0n
      ? `The wallet has no ${name} to claim.${rest === '' ? ` Request one first with request-${side}.` : rest}`
      : `The wallet can claim ${amountText(strategy, claimable)} of its ${name} now.${rest}`;
  return { kind: 'NOT_CLAIMABLE', message, maximum: claimable };
}
