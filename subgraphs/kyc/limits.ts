import { ArgsType, Field, ObjectType, registerEnumType } from 'type-graphql';
import { AddressScalar, AmountScalar, DateTimeScalar, UuidScalar } from '../schema/scalars';

export const RampDirectionEnum = { onRamp: 'onRamp', offRamp: 'offRamp' } as const;
registerEnumType(RampDirectionEnum, {
  name: 'RampDirection',
  description: 'Which way money goes through a ramp.',
  valuesConfig: {
    onRamp: { description: 'From a bank to a token.' },
    offRamp: { description: 'From a token to a bank.' },
  },
});

export const RampRailEnum = { PIX: 'PIX', ACH: 'ACH', WIRE: 'WIRE' } as const;
registerEnumType(RampRailEnum, {
  name: 'RampRail',
  description: 'How money gets from or to a bank.',
  valuesConfig: {
    PIX: { description: 'Reais, at once.' },
    ACH: { description: 'Dollars, within days.' },
    WIRE: { description: 'Dollars, within a day.' },
  },
});

export const RampLimitPeriodEnum = { transaction: 'transaction', day: 'day', month: 'month', year: 'year' } as const;
registerEnumType(RampLimitPeriodEnum, {
  name: 'RampLimitPeriod',
  description: 'What a maximum is of.',
  valuesConfig: {
    transaction: { description: 'Of each movement.' },
    day: { description: 'Of all movements of a day.' },
    month: { description: 'Of all movements of a month.' },
    year: { description: 'Of all movements of a year.' },
  },
});

@ArgsType()
export class RampLimitsArgs {
  @Field(() => UuidScalar, { nullable: true, description: 'The person, by the id of their profile.' })
  kycUserId?: string | null;

  @Field(() => AddressScalar, { nullable: true, description: 'Counts when `kycUserId` is not given.' })
  walletAddress?: string | null;

  @Field(() => String, { nullable: true, description: 'The ramp. Default: the primary one.' })
  rampProvider?: string | null;
}

@ObjectType({
  simpleResolvers: true,
  description: "Amounts are the currency's cents. What the ramp does not tell has no value.",
})
export class RampLimit {
  @Field(() => String, { description: '`BRL` or `USD`.' })
  currency!: string;

  @Field(() => RampRailEnum, { nullable: true, description: 'Without one the limit is of all rails together.' })
  rail?: keyof typeof RampRailEnum | undefined;

  @Field(() => RampDirectionEnum, { description: 'Into tokens or out of them.' })
  direction!: keyof typeof RampDirectionEnum;

  @Field(() => AmountScalar, {
    nullable: true,
    description: 'Least of one movement: of the ramp, else the least that any of its routes takes.',
  })
  minimum?: bigint | undefined;

  @Field(() => AmountScalar, { nullable: true, description: 'Most of the period.' })
  maximum?: bigint | undefined;

  @Field(() => RampLimitPeriodEnum, { description: 'What `maximum`, `used` and `remaining` are of.' })
  period!: keyof typeof RampLimitPeriodEnum;

  @Field(() => AmountScalar, { nullable: true, description: 'Moved in this period.' })
  used?: bigint | undefined;

  @Field(() => AmountScalar, { nullable: true, description: 'What may be moved yet.' })
  remaining?: bigint | undefined;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When the period ends.' })
  resetsAt?: Date | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'What a ramp lets a person move.' })
export class RampLimits {
  @Field(() => String, { description: 'The ramp, by the name that was asked for.' })
  provider!: string;

  @Field(() => [RampLimit], { description: 'One for each currency, rail, direction and period that the ramp limits.' })
  limits!: readonly RampLimit[];
}
