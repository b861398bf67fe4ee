import { ArgsType, Field, registerEnumType } from 'type-graphql';
import { UuidScalar } from '../schema/scalars';

export const KycCurrencyEnum = { USD: 'USD' } as const;
registerEnumType(KycCurrencyEnum, {
  name: 'KycCurrencyCode',
  description: 'A currency that is asked for by itself.',
  valuesConfig: { USD: { description: 'US dollars.' } },
});

/** Bank fields as those of a quote; they come all together. */
@ArgsType()
export class KycCurrencyArgs {
  @Field(() => UuidScalar, { description: 'The profile of who is to move the currency.' })
  kycUserId!: string;

  @Field(() => KycCurrencyEnum, { description: '`USD`.' })
  currency!: keyof typeof KycCurrencyEnum;

  @Field(() => String, { nullable: true, description: 'The ramp. Default: the primary one.' })
  rampProvider?: string | null;

  @Field(() => String, { nullable: true, description: '`ACH` or `WIRE`. Default `WIRE`.' })
  usdPaymentMethod?: string | null;

  @Field(() => String, { nullable: true, description: 'Default: `bankBeneficiaryName`.' })
  alias?: string | null;

  @Field(() => String, { nullable: true, description: 'Account number at the bank.' })
  bankAccountNumber?: string | null;

  @Field(() => String, { nullable: true, description: 'ABA.' })
  bankRoutingNumber?: string | null;

  @Field(() => String, { nullable: true, description: 'Name of the bank.' })
  bankName?: string | null;

  @Field(() => String, { nullable: true, description: 'Legal name, in ASCII characters.' })
  bankBeneficiaryName?: string | null;

  @Field(() => String, { nullable: true, description: 'Street and number of who is paid.' })
  beneficiaryStreetLine1?: string | null;

  @Field(() => String, { nullable: true, description: 'What else belongs to the street.' })
  beneficiaryStreetLine2?: string | null;

  @Field(() => String, { nullable: true, description: 'City of who is paid.' })
  beneficiaryCity?: string | null;

  @Field(() => String, { nullable: true, description: 'State of who is paid.' })
  beneficiaryState?: string | null;

  @Field(() => String, { nullable: true, description: 'Postal code of who is paid.' })
  beneficiaryPostalCode?: string | null;

  @Field(() => String, { nullable: true, description: 'Country of who is paid.' })
  beneficiaryCountry?: string | null;

  @Field(() => String, { nullable: true, description: 'A note on the account, for the ramp.' })
  description?: string | null;
}
