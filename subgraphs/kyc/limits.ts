import { ArgsType, Field, ObjectType, registerEnumType } from 'type-graphql';
import { AddressScalar, AmountScalar, DateTimeScalar, UuidScalar } from '../schema/scalars';

export const RampDirectionEnum = { onRamp: 'onRamp', offRamp: 'offRamp' } as const;
registerEnumType(RampDirectionEnum, {
  name: 'RampDirection',
  description: 'Direction of a movement through a ramp.',
  valuesConfig: {
    onRamp: { description: 'From fiat to a token.' },
    offRamp: { description: 'From a token to fiat.' },
  },
});

export const RampRailEnum = { PIX: 'PIX', ACH: 'ACH', WIRE: 'WIRE' } as const;
registerEnumType(RampRailEnum, {
  name: 'RampRail',
  description: 'Payment system that moves money from or to a bank.',
  valuesConfig: {
    PIX: { description: 'Brazilian reais, within seconds.' },
    ACH: { description: 'US dollars, within days.' },
    WIRE: { description: 'US dollars, within a day.' },
  },
});

export const RampLimitPeriodEnum = { transaction: 'transaction', day: 'day', month: 'month', year: 'year' } as const;
registerEnumType(RampLimitPeriodEnum, {
  name: 'RampLimitPeriod',
  description: 'Period that a maximum applies to.',
  valuesConfig: {
    transaction: { description: 'Each single movement.' },
    day: { description: 'All movements of a day.' },
    month: { description: 'All movements of a month.' },
    year: { description: 'All movements of a year.' },
  },
});

@ArgsType()
export class RampLimitsArgs {
  @Field(() => UuidScalar, { nullable: true, description: "Id of the person's profile." })
  kycUserId?: string | null;

  @Field(() => AddressScalar, {
    nullable: true,
    description: 'Wallet of the person. Used when `kycUserId` is not given.',
  })
  walletAddress?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The ramp: `primary`, `secondary` or its brand name, case-insensitive. Default: the primary ramp.',
  })
  rampProvider?: string | null;
}

@ObjectType({
  simpleResolvers: true,
  description:
    'A limit of a ramp. Amounts are in cents of the currency. A value is null when the ramp does not report it.',
})
export class RampLimit {
  @Field(() => String, { description: '`BRL` or `USD`.' })
  currency!: string;

  @Field(() => RampRailEnum, {
    nullable: true,
    description: 'Payment rail. Null when the limit applies to all rails together.',
  })
  rail?: keyof typeof RampRailEnum | undefined;

  @Field(() => RampDirectionEnum, { description: 'Direction of the movements.' })
  direction!: keyof typeof RampDirectionEnum;

  @Field(() => AmountScalar, {
    nullable: true,
    description: "Minimum of one movement: the ramp's own minimum, or the lowest minimum of its routes.",
  })
  minimum?: bigint | undefined;

  @Field(() => AmountScalar, { nullable: true, description: 'Maximum of the period.' })
  maximum?: bigint | undefined;

  @Field(() => RampLimitPeriodEnum, { description: 'Period that `maximum`, `used` and `remaining` apply to.' })
  period!: keyof typeof RampLimitPeriodEnum;

  @Field(() => AmountScalar, { nullable: true, description: 'Amount moved in this period.' })
  used?: bigint | undefined;

  @Field(() => AmountScalar, { nullable: true, description: 'Amount that can still be moved in this period.' })
  remaining?: bigint | undefined;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Time at which the period ends.' })
  resetsAt?: Date | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'Limits of a person at a ramp.' })
export class RampLimits {
  @Field(() => String, { description: 'Name of the ramp, as given in the request.' })
  provider!: string;

  @Field(() => [RampLimit], {
    description: 'One limit for each currency, rail, direction and period that the ramp limits.',
  })
  limits!: readonly RampLimit[];
}
