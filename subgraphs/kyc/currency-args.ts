import { ArgsType, Field, registerEnumType } from 'type-graphql';
import { UuidScalar } from '../schema/scalars';

export const KycCurrencyEnum = { USD: 'USD' } as const;
registerEnumType(KycCurrencyEnum, { name: 'KycCurrencyCode', description: 'A currency that is asked for by itself.' });

/** Bank fields as those of a quote; they come all together. */
@ArgsType()
export class KycCurrencyArgs {
  @Field(() => UuidScalar)
  kycUserId!: string;

  @Field(() => KycCurrencyEnum)
  currency!: keyof typeof KycCurrencyEnum;

  @Field(() => String, { nullable: true, description: 'The ramp. Default: the primary one.' })
  rampProvider?: string | null;

  @Field(() => String, { nullable: true, description: '`ACH` or `WIRE`. Default `WIRE`.' })
  usdPaymentMethod?: string | null;

  @Field(() => String, { nullable: true, description: 'Default: `bankBeneficiaryName`.' })
  alias?: string | null;

  @Field(() => String, { nullable: true })
  bankAccountNumber?: string | null;

  @Field(() => String, { nullable: true, description: 'ABA.' })
  bankRoutingNumber?: string | null;

  @Field(() => String, { nullable: true })
  bankName?: string | null;

  @Field(() => String, { nullable: true, description: 'Legal name, in ASCII characters.' })
  bankBeneficiaryName?: string | null;

  @Field(() => String, { nullable: true })
  beneficiaryStreetLine1?: string | null;

  @Field(() => String, { nullable: true })
  beneficiaryStreetLine2?: string | null;

  @Field(() => String, { nullable: true })
  beneficiaryCity?: string | null;

  @Field(() => String, { nullable: true })
  beneficiaryState?: string | null;

  @Field(() => String, { nullable: true })
  beneficiaryPostalCode?: string | null;

  @Field(() => String, { nullable: true })
  beneficiaryCountry?: string | null;

  @Field(() => String, { nullable: true })
  description?: string | null;
}
