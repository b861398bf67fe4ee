import { registerEnumType } from 'type-graphql';
import { REWARD_FLAGS } from '../../src/strategies/market/reward-rates';
import { MARKET_FLAGS } from '../../src/strategies/views/market-figures';
import { RATE_STEPS, type RateStep } from '../../src/strategies/views/rate-history';
import { STRATEGY_SORTS } from '../../src/strategies/views/select-strategies';
import { namedEnum } from '../schema/named-enum';

export const DetailLevelEnum = namedEnum(['BASIC', 'FULL']);
registerEnumType(DetailLevelEnum, {
  name: 'StrategyDetailLevel',
  description: 'Which fields of each strategy a list returns.',
  valuesConfig: {
    BASIC: { description: 'Without `metadata`, `rewards` and `marketData.samples`.' },
    FULL: { description: 'Everything.' },
  },
});

export const StrategySortEnum = namedEnum(STRATEGY_SORTS);
registerEnumType(StrategySortEnum, {
  name: 'StrategySort',
  description: 'Order of a list of strategies.',
  valuesConfig: {
    CATALOG: { description: 'The order of the catalog, which is stable.' },
    NET_APY: { description: 'The highest yield after fees first.' },
    TVL_USD: { description: 'The largest value of all deposits first.' },
  },
});

export const MarketFlagEnum = namedEnum(MARKET_FLAGS);
registerEnumType(MarketFlagEnum, {
  name: 'MarketFlag',
  description: 'Warning about market data.',
  valuesConfig: {
    STALE: { description: 'The market was not read for 15 minutes.' },
    NEGATIVE_YIELD: { description: 'The share price falls.' },
    UNCONFIRMED_CHANGE: {
      description:
        'The last reading is more than five times higher or lower than the accepted one. It is shown once the next reading confirms it.',
    },
    NEARLY_EMPTY: {
      description:
        'The deposits of a vault are less than one whole underlying token. The share price may be an effect of rounding, not of yield.',
    },
  },
});

export const RewardFlagEnum = namedEnum(REWARD_FLAGS);
registerEnumType(RewardFlagEnum, {
  name: 'RewardFlag',
  description: 'Warning about a reward rate.',
  valuesConfig: {
    UNREAD: { description: 'The rewards contract did not return the emission.' },
    NO_PRICE: { description: 'The reward token, or the asset of the market, has no fresh price.' },
    NO_DEPOSITS: { description: 'There are no deposits that earn it.' },
    IMPLAUSIBLE: { description: 'The stated emission is larger than any token, or the yield is over 10,000 %.' },
    UNCONFIRMED_PRICE: { description: 'No two independent sources agree on one of the prices. The rate is shown.' },
    STALE: { description: 'The market was not read for 15 minutes: the prices are old.' },
  },
});

export const RateStepEnum = namedEnum(Object.keys(RATE_STEPS) as RateStep[]);
registerEnumType(RateStepEnum, {
  name: 'RateStep',
  description: 'Step of a rate history.',
  valuesConfig: {
    HOUR: { description: 'Kept for 31 days.' },
    DAY: { description: 'Kept for ever.' },
  },
});
