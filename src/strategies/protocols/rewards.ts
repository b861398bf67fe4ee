import type { ContractRead } from '../../rpc/contract-read';
import type { Strategy } from '../strategy';
import type { StrategyHolding, MarketState, ProtocolRead, RewardEmission } from './protocol';

/** Rewards of one market that are read: each is a call for every wallet. */
export const MAX_REWARD_TOKENS = 8;

/** Why a claim reverts when the rewards contract has too little of the token. */
export const TOO_FEW_REWARDS = 'The rewards contract has too little of the reward token. Try again later.';

/**
 * A holding with the rewards that the wallet may claim. `reads` are their amounts, in the order of the reward tokens of the strategy.
 * A reward that cannot be read does not hide the deposit.
 */
export const withRewards = (
  { rewardTokens = [] }: Pick<Strategy, 'rewardTokens'>,
  holding: ProtocolRead<StrategyHolding>,
  reads: readonly ContractRead<unknown>[],
): ProtocolRead<StrategyHolding> => ({
  reads: [...holding.reads, ...reads],
  decode(results, block) {
    const held = holding.decode(results.slice(0, holding.reads.length), block);
    if (held === undefined) return undefined;
    const amounts = results.slice(holding.reads.length);
    const rewards = rewardTokens.flatMap((token, index) => {
      const amount = amounts[index];
      return typeof amount === 'bigint' && amount > 0n ? [{ token, amount }] : [];
    });
    const unreadRewards = rewardTokens.filter((_, index) => typeof amounts[index] !== 'bigint');
    return {
      ...held,
      ...(rewards.length === 0 ? {} : { rewards }),
      ...(unreadRewards.length === 0 ? {} : { unreadRewards }),
    };
  },
});

/** A market with what it pays in rewards. A reward that cannot be read does not hide the market. */
export const withEmissions = (
  market: ProtocolRead<MarketState>,
  emissions: ProtocolRead<readonly RewardEmission[]>,
): ProtocolRead<MarketState> => ({
  reads: [...market.reads, ...emissions.reads],
  decode(results, block) {
    const state = market.decode(results.slice(0, market.reads.length), block);
    if (state === undefined) return undefined;
    const paid = emissions.decode(results.slice(market.reads.length), block) ?? [];
    return paid.length === 0 ? state : { ...state, emissions: paid };
  },
});
