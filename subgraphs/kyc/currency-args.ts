import { ArgsType, Field, registerEnumType } from 'type-graphql';
import { UuidScalar } from '../schema/scalars';

export const KycCurrencyEnum = { USD: 'USD' } as const;
registerEnumType(KycCurrencyEnum, {
  name: 'KycCurrencyCode',
  description: 'A currency that requires its own approval by the ramp.',
  valuesConfig: { USD: { description: 'US dollars.' } },
});

/** Bank fields, as in a quote. All of them are given together. */
@ArgsType()
export class KycCurrencyArgs {
  @Field(() => UuidScalar, { description: 'Id of the profile that needs the currency.' })
  kycUserId!: string;

  @Field(() => KycCurrencyEnum, { description: '`USD`.' })
  currency!: keyof typeof KycCurrencyEnum;

  @Field(() => String, {
    nullable: true,
    description: 'The ramp: `primary`, `secondary` or its brand name, case-insensitive. Default: the primary ramp.',
  })
  rampProvider?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Payment method for US dollars: `ACH` or `WIRE`. Default `WIRE`.',
  })
  usdPaymentMethod?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Name under which the bank account is saved. Default: `bankBeneficiaryName`.',
  })
  alias?: string | null;

  @Field(() => String, { nullable: true, description: 'Account number.' })
  bankAccountNumber?: string | null;

  @Field(() => String, { nullable: true, description: 'ABA routing number, 9 digits.' })
  bankRoutingNumber?: string | null;

  @Field(() => String, { nullable: true, description: 'Name of the bank.' })
  bankName?: string | null;

  @Field(() => String, { nullable: true, description: 'Legal name of the beneficiary, in ASCII characters.' })
  bankBeneficiaryName?: string | null;

  @Field(() => String, { nullable: true, description: 'Street and number of the beneficiary.' })
  beneficiaryStreetLine1?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Second address line of the beneficiary: apartment, suite or unit.',
  })
  beneficiaryStreetLine2?: string | null;

  @Field(() => String, { nullable: true, description: 'City of the beneficiary.' })
  beneficiaryCity?: string | null;

  @Field(() => String, { nullable: true, description: 'State of the beneficiary.' })
  beneficiaryState?: string | null;

  @Field(() => String, { nullable: true, description: 'Postal code of the beneficiary.' })
  beneficiaryPostalCode?: string | null;

  @Field(() => String, { nullable: true, description: 'Country of the beneficiary.' })
  beneficiaryCountry?: string | null;

  @Field(() => String, { nullable: true, description: 'Note on the account, sent to the ramp.' })
  description?: string | null;
}
