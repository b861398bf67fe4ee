import { registerEnumType } from 'type-graphql';
import { MISSING_PRICES, PRICE_FLAGS, PRICE_KINDS } from '../../../src/prices/token-price';
import { PRICE_STEPS } from '../../../src/prices/samples/price-range';
import { namedEnum } from '../../schema/named-enum';

export const PriceKindEnum = namedEnum(PRICE_KINDS);
registerEnumType(PriceKindEnum, {
  name: 'PriceKind',
  description: 'How a price came about.',
  valuesConfig: {
    spot: { description: 'The current state of on-chain pools.' },
    twap: { description: 'A mean over time.' },
    oracle: { description: 'An oracle.' },
    api: { description: 'A market price that a third party aggregates.' },
    peg: { description: 'An assumed peg to the US dollar.' },
  },
});

export const PriceFlagEnum = namedEnum(PRICE_FLAGS);
registerEnumType(PriceFlagEnum, {
  name: 'PriceFlag',
  description: 'An uncertainty of a price.',
  valuesConfig: {
    SINGLE_SOURCE: { description: 'No two independent sources have a fresh price.' },
    DEVIATION: { description: 'The sources differ by more than 2 %, for dollar tokens by more than 0.5 %.' },
    OFF_PEG: {
      description:
        'A dollar token is worth less than 0.98 or more than 1.02 dollars, or the price was derived from such a token.',
    },
    PEG_UNCHECKED: { description: 'One dollar is assumed: no source has a price of the dollar token.' },
    ANCHOR_UNCONFIRMED: {
      description: 'Derived from a dollar token whose peg no two independent sources confirm within 0.5 %.',
    },
    LAST_CLOSE: { description: 'The price of the last business day.' },
  },
});

export const MissingPriceEnum = namedEnum(MISSING_PRICES);
registerEnumType(MissingPriceEnum, {
  name: 'MissingPriceReason',
  description: 'Why a token has no price.',
  valuesConfig: {
    NO_SOURCE: { description: 'No source has a fresh price.' },
    SOURCES_DISAGREE: { description: 'The prices of the sources differ by more than 10 %.' },
  },
});

export const PriceStepEnum = namedEnum(Object.keys(PRICE_STEPS) as (keyof typeof PRICE_STEPS)[]);
registerEnumType(PriceStepEnum, {
  name: 'PriceStep',
  description: 'Step of a price history.',
  valuesConfig: {
    FIVE_MINUTES: { description: 'Kept for a day.' },
    HOUR: { description: 'Kept for a month.' },
    DAY: { description: 'Kept for ever, of unlisted tokens for 400 days.' },
  },
});
