import type { CustomerId } from '../../auth/principal';
import type { PricedSwap } from '../../quotes/quote-swap';
import type { Token } from '../../tokens/token';
import type { Protocol } from '../protocols/protocol';
import type { Strategy } from '../strategy';
import type { LendOperation, WithdrawOperation } from './operation-request';
import type { SimulatedOperation } from './simulate-operation';

/** What every operation is built from. */
interface OperationContext {
  readonly customerId: CustomerId;
  /** The transactions contain it. */
  readonly actionId: string;
  readonly strategy: Strategy;
  readonly protocol: Protocol;
  readonly signal: AbortSignal;
}

export type Lending = OperationContext & { readonly request: LendOperation };
export type Withdrawal = OperationContext & { readonly request: WithdrawOperation };

/** A token, and how much of it an operation moves, in base units. */
export interface MovedToken {
  readonly token: Token;
  readonly amount: bigint;
  /** At least this much arrives. */
  readonly minimum: bigint;
}

/** An operation that was simulated. */
export interface BuiltOperation extends SimulatedOperation {
  /** What the wallet gives: a token or, for a withdrawal, its receipt. */
  readonly paid: Pick<MovedToken, 'token' | 'amount'>;
  readonly received: MovedToken;
  /** What moves into or out of the protocol, in base units of the underlying asset. */
  readonly assets: bigint;
  /** Entry fee in base units of the underlying asset. */
  readonly feeCharged: bigint;
  /** The swap before a deposit or after a withdrawal. */
  readonly swap: PricedSwap | undefined;
}
