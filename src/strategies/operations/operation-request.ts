import type { Address } from 'viem';
import type { Chain } from '../../chains/chain';
import type { BaseUnits } from '../../money/base-units';
import type { Output, TokenReference } from '../../quotes/request/swap-intent';
import type { WithdrawAmount } from '../protocols/protocol';

/** A well-formed request for an operation of a strategy. Whether its tokens exist is checked later. */
export type OperationRequest =
  LendOperation | DepositClaimOperation | WithdrawOperation | WithdrawRequestOperation | ClaimOperation;

interface CommonFields {
  /** Signs and sends. */
  readonly wallet: Address;
  /** Owns the deposit, or receives what is withdrawn or claimed. */
  readonly recipient: Address;
  /** Slippage of the swap as the caller wrote it. */
  readonly slippage: string | undefined;
  readonly output: Output;
  /** Account of the custody vault. Only with the output `custody`. */
  readonly accountId: string | undefined;
  readonly webhookUrl: string | undefined;
}

export interface LendOperation extends CommonFields {
  /** `request-lend` where deposits are pending until the vault fulfils them. */
  readonly action: 'lend' | 'request-lend';
  /** In base units of the underlying asset, or of the token in `from`. */
  readonly amount: BaseUnits;
  /** The token that is sold for the underlying asset; `undefined` when the underlying asset is deposited itself. */
  readonly from: TokenOnChain | undefined;
}

/** The claim of a deposit that was requested: `lend` where deposits are asynchronous. */
export interface DepositClaimOperation extends CommonFields {
  readonly action: 'claim-lend';
  /** In base units of the underlying asset; `max` is all that can be claimed. */
  readonly amount: BaseUnits | 'max';
}

export interface WithdrawOperation extends CommonFields {
  readonly action: 'withdraw';
  readonly amount: WithdrawAmount;
  /** The token that is bought with the underlying asset; `undefined` when the underlying asset is withdrawn itself. */
  readonly to: TokenOnChain | undefined;
}

/** Hands in shares, whose assets `withdraw` claims later. The wallet itself claims them. */
export interface WithdrawRequestOperation extends CommonFields {
  readonly action: 'request-withdraw';
  readonly amount: WithdrawAmount;
}

export interface ClaimOperation extends CommonFields {
  readonly action: 'claim';
  /** The reward to claim; `undefined` for the only one that can be claimed. */
  readonly reward: Address | undefined;
}

export interface TokenOnChain {
  readonly chain: Chain;
  readonly token: TokenReference;
}

/** True when the operation moves the underlying asset, or another token, into the strategy. */
export const isLend = (request: OperationRequest): request is LendOperation =>
  request.action === 'lend' || request.action === 'request-lend';
