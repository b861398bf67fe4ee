import { ArgsType, Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import {
  VALUE_CURRENCIES,
  VALUE_RANGES,
  type ValueCurrency,
  type ValueRange,
} from '../../../src/snapshots/wallet-values';
import { namedEnum } from '../../schema/named-enum';
import { DateTimeScalar } from '../../schema/scalars';

const ValueRangeEnum = namedEnum(VALUE_RANGES);
registerEnumType(ValueRangeEnum, {
  name: 'ValueRange',
  description: 'A span of time until now, and its steps.',
  valuesConfig: {
    DAY: { description: '24 hours by five minutes.' },
    WEEK: { description: '7 days by the hour.' },
    MONTH: { description: '30 days by six hours.' },
    YEAR: { description: '365 days by the day.' },
  },
});

const ValueCurrencyEnum = namedEnum(VALUE_CURRENCIES);
registerEnumType(ValueCurrencyEnum, {
  name: 'ValueCurrency',
  description: 'A currency in which wallets are valued.',
  valuesConfig: { USD: { description: 'US dollars.' }, BRL: { description: 'Brazilian reais.' } },
});

@ArgsType()
export class ValueHistoryArgs {
  @Field(() => ValueRangeEnum, { description: 'The span of time.' })
  range!: ValueRange;

  @Field(() => ValueCurrencyEnum, { nullable: true, description: 'The currency. Default: USD.' })
  currency?: ValueCurrency | null;
}

@ObjectType({ simpleResolvers: true, description: 'What a wallet was worth at a time. Amounts are exact decimals.' })
export class WalletValuePoint {
  @Field(() => DateTimeScalar, { description: 'Time of the latest observation in the step.' })
  at!: Date;

  @Field(() => String, {
    nullable: true,
    description:
      'Value of the tokens and of the positions in strategies, when both were last read together and completely. Null when they were not in the step.',
  })
  total!: string | undefined;

  @Field(() => String, {
    nullable: true,
    description: 'Value of the tokens. Null when it was not observed in the step.',
  })
  tokens!: string | undefined;

  @Field(() => String, {
    nullable: true,
    description: 'Value of the positions in strategies. Null when it was not observed in the step.',
  })
  earn!: string | undefined;

  @Field(() => Int, {
    description:
      'Number of listed and pinned tokens, and of positions, that the total lacks because they had no price; without a total, that its parts lack.',
  })
  unpriced!: number;

  @Field(() => Int, {
    description:
      'Number of chains, and of strategies, that could not be read, and one more while positions lack executed actions: `tokens` and `earn` lack what the wallet has there, or have its last known amount. 0 when both are complete.',
  })
  unread!: number;
}
