import type { Address } from 'viem';
import type { Chain } from '../../chains/chain';
import type { BaseUnits } from '../../money/base-units';
import type { Output, TokenReference } from '../../quotes/request/swap-intent';
import type { WithdrawAmount } from '../protocols/protocol';

/** A well-formed request for an operation of a strategy. Whether its tokens exist is checked later. */
export type OperationRequest = LendOperation | WithdrawOperation | ClaimOperation;

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
  readonly action: 'lend';
  /** In base units of the underlying asset, or of the token in `from`. */
  readonly amount: BaseUnits;
  /** The token that is sold for the underlying asset; `undefined` when the underlying asset is deposited itself. */
  readonly from: TokenOnChain | undefined;
}

export interface WithdrawOperation extends CommonFields {
  readonly action: 'withdraw';
  readonly amount: WithdrawAmount;
  /** The token that is bought with the underlying asset; `undefined` when the underlying asset is withdrawn itself. */
  readonly to: TokenOnChain | undefined;
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
