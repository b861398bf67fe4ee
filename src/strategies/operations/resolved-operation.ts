import type { CustomerId } from '../../auth/principal';
import type { Chain } from '../../chains/chain';
import type { PricedSwap } from '../../quotes/quote-swap';
import type { Token } from '../../tokens/token';
import { invariant } from '../../errors/invariant-error';
import type { Protocol, ProtocolRequests } from '../protocols/protocol';
import type { Strategy } from '../strategy';
import type { CustomerFees } from '../fees/customer-fees';
import { HISTORY_PROBLEMS } from '../positions/check-history';
import type {
  ClaimOperation,
  DepositClaimOperation,
  LendOperation,
  OperationRequest,
  WithdrawOperation,
  WithdrawRequestOperation,
} from './operation-request';
import type { SimulatedOperation } from './simulate-strategy-operation';

/** What every operation is built from. */
interface OperationContext {
  readonly customerId: CustomerId;
  /** The transactions contain it. */
  readonly actionId: string;
  readonly strategy: Strategy;
  readonly protocol: Protocol;
  readonly fees: CustomerFees;
  readonly signal: AbortSignal;
}

export type Lending = OperationContext & { readonly request: LendOperation };
export type DepositClaim = OperationContext & { readonly request: DepositClaimOperation };
export type WithdrawalRequest = OperationContext & { readonly request: WithdrawRequestOperation };
export type Withdrawal = OperationContext & { readonly request: WithdrawOperation };
export type RewardClaim = OperationContext & { readonly request: ClaimOperation };
export type Operation = Lending | DepositClaim | Withdrawal | WithdrawalRequest | RewardClaim;

/** A token, and how much of it an operation moves, in base units. */
export interface MovedToken {
  readonly token: Token;
  readonly amount: bigint;
  /** At least this much arrives. */
  readonly minimum: bigint;
}

/** A fee of an operation: `platform` of a deposit, the other two of the profit of a withdrawal. */
export interface ChargedFee {
  readonly kind: 'platform' | 'performance' | 'markup';
  /** In base units of the underlying asset. */
  readonly amount: bigint;
  readonly recipient: string;
}

/**
 * Why a fee that applies is not charged: what the history of the position lacks, or `RECIPIENT_REFUSED` when the token refuses the
 * transfer to the recipient, or `RECIPIENT_BLOCKED` when the service does.
 */
export const FEE_WAIVERS = [...HISTORY_PROBLEMS, 'RECIPIENT_REFUSED', 'RECIPIENT_BLOCKED'] as const;
export type FeeWaiver = (typeof FEE_WAIVERS)[number];

/** The fees of an operation. */
export interface Charge {
  /** Without those that are zero. */
  readonly fees: readonly ChargedFee[];
  /** Why a fee is not charged that applies; `undefined` when all are charged. */
  readonly waiver: FeeWaiver | undefined;
}

/** An operation that was simulated. */
export interface BuiltOperation extends SimulatedOperation, Charge {
  /** What the wallet gives: a token or, for a withdrawal, its receipt. An amount of 0 for a claim. */
  readonly paid: Pick<MovedToken, 'token' | 'amount'>;
  /** A request brings what the vault records: the assets of a deposit, the shares of a withdrawal. */
  readonly received: MovedToken;
  /** What moves into or out of the protocol, in base units of the underlying asset. */
  readonly assets: bigint;
  /**
   * The same, where the call states it; `undefined` when the block of its transaction decides, as for a withdrawal of everything, and
   * for requests and their claims.
   */
  readonly statedAssets: bigint | undefined;
  /** True when the router makes the call of the protocol and pays the fees, if there are any, in the same transaction. */
  readonly isRouted: boolean;
  /** The swap before a deposit or after a withdrawal, or the transfer from or to another chain. */
  readonly swap: PricedSwap | undefined;
}

/** The transfer between chains of an operation; `undefined` when all of it happens on one chain. */
export const transferOf = ({ swap }: Pick<BuiltOperation, 'swap'>): PricedSwap | undefined =>
  swap === undefined || swap.request.origin.chainId === swap.request.destination.chainId ? undefined : swap;

/** The chain on which the wallet pays, and the one on which the recipient receives. */
export interface OperationRoute {
  readonly origin: Chain;
  readonly destination: Chain;
}

export const operationRoute = (
  { strategy }: Pick<OperationContext, 'strategy'>,
  built: BuiltOperation,
): OperationRoute => transferOf(built)?.request ?? { origin: strategy.chain, destination: strategy.chain };

const TYPES = {
  lend: ['SAMECHAIN_INVESTMENT_DEPOSIT', 'CROSSCHAIN_INVESTMENT_DEPOSIT'],
  'request-lend': ['SAMECHAIN_INVESTMENT_DEPOSIT', 'SAMECHAIN_INVESTMENT_DEPOSIT'],
  'claim-lend': ['SAMECHAIN_INVESTMENT_DEPOSIT', 'SAMECHAIN_INVESTMENT_DEPOSIT'],
  withdraw: ['SAMECHAIN_INVESTMENT_WITHDRAW', 'CROSSCHAIN_INVESTMENT_WITHDRAW'],
  'request-withdraw': ['SAMECHAIN_INVESTMENT_WITHDRAW', 'SAMECHAIN_INVESTMENT_WITHDRAW'],
  claim: ['REWARD_CLAIM', 'REWARD_CLAIM'],
} as const;

export type OperationType = (typeof TYPES)[keyof typeof TYPES][number];

/** Type of the action of an operation. */
export const operationType = (
  { action }: Pick<OperationRequest, 'action'>,
  { origin, destination }: OperationRoute,
): OperationType => TYPES[action][origin.chainId === destination.chainId ? 0 : 1];

/** Requests of a strategy with an asynchronous side. */
export function requestsOf({ requests }: Protocol): ProtocolRequests {
  invariant(requests !== undefined, 'a strategy with an asynchronous side has requests');
  return requests;
}
