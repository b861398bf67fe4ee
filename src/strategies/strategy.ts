import type { Address } from 'viem';
import type { Chain } from '../chains/chain';
import type { Token } from '../tokens/token';
import type { StrategyRow } from './strategy-row';

/** An operation of a strategy, as requests and responses name it. */
export type StrategyAction = 'lend' | 'withdraw' | 'request-lend' | 'request-withdraw' | 'claim';

/** A row of the catalog with its contracts and tokens, read from the chain. */
export interface Strategy {
  readonly row: StrategyRow;
  readonly chain: Chain;
  readonly underlying: Token;
  /** The receipt token: aToken, vault share or Comet. */
  readonly receipt: Token;
  /** Contracts that the protocol named, for example the Pool of Aave. Depends on the protocol. */
  readonly contracts: Readonly<Record<string, Address>>;
  /** Tokens in which the market pays rewards, or has paid them; absent without rewards. `contracts.rewards` pays them. */
  readonly rewardTokens?: readonly Token[];
}

/** The sides of a vault. Either may be asynchronous. */
export type RequestSide = 'lend' | 'withdraw';

/** Names among the contracts of a strategy: the vault, where a side is asynchronous. */
export const REQUEST_CONTRACTS = { lend: 'depositRequests', withdraw: 'redeemRequests' } as const satisfies Record<
  RequestSide,
  string
>;

/** True when deposits into the strategy, or withdrawals from it, are requested first and claimed later. */
export const isRequested = ({ contracts }: Pick<Strategy, 'contracts'>, side: RequestSide): boolean =>
  contracts[REQUEST_CONTRACTS[side]] !== undefined;

/** The operations of a strategy into which wallets deposit themselves. On an asynchronous side, the second one claims what the first has requested. */
export const directActions = (strategy: Pick<Strategy, 'contracts' | 'rewardTokens'>): readonly StrategyAction[] => [
  ...(isRequested(strategy, 'lend') ? (['request-lend'] as const) : []),
  'lend',
  ...(isRequested(strategy, 'withdraw') ? (['request-withdraw'] as const) : []),
  'withdraw',
  ...(strategy.rewardTokens === undefined ? [] : (['claim'] as const)),
];
