import type { Address } from 'viem';
import type { Chain } from '../chains/chain';
import type { Token } from '../tokens/token';
import type { StrategyRow } from './strategy-row';

/** A row of the catalog with its contracts and tokens, read from the chain. */
export interface Strategy {
  readonly row: StrategyRow;
  readonly chain: Chain;
  readonly underlying: Token;
  /** The token that shows a deposit: aToken, vault share or Comet. */
  readonly receipt: Token;
  /** Contracts that the protocol named, for example the Pool of Aave. Depends on the protocol. */
  readonly contracts: Readonly<Record<string, Address>>;
  /** Tokens in which the market pays rewards, or has paid them; absent without rewards. `contracts.rewards` pays them. */
  readonly rewardTokens?: readonly Token[];
}
