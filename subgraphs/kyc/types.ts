import { Directive, Field, ObjectType, registerEnumType } from 'type-graphql';
import { AddressScalar, DateTimeScalar, JsonScalar, UuidScalar } from '../schema/scalars';

export const KycStatusEnum = {
  created: 'created',
  provider_pending: 'provider_pending',
  approved: 'approved',
  rejected: 'rejected',
  rejected_retryable: 'rejected_retryable',
  blocked: 'blocked',
} as const;
registerEnumType(KycStatusEnum, {
  name: 'KycStatus',
  description: 'Verification status of a person at a ramp. Only `approved` allows movements of money.',
  valuesConfig: {
    created: { description: 'No evidence was submitted yet.' },
    provider_pending: { description: 'The ramp is reviewing the person.' },
    approved: { description: 'The person may move money.' },
    rejected: { description: 'The ramp rejected the person.' },
    rejected_retryable: { description: 'The ramp rejected the evidence. A new submission is possible.' },
    blocked: { description: 'The ramp has blocked the person permanently.' },
  },
});

@ObjectType({
  simpleResolvers: true,
  description: "A person's KYC profile, with the verification status at the ramps.",
})
@Directive('@key(fields: "kycUserId")')
export class KycProfile {
  @Field(() => UuidScalar, { description: 'Id of the profile.' })
  kycUserId!: string;

  @Field(() => String, { description: 'Name of the primary ramp, as given in the request.' })
  provider!: string;

  @Field(() => KycStatusEnum, { description: 'Verification status at the primary ramp.' })
  status!: keyof typeof KycStatusEnum;

  @Field(() => Boolean, { description: 'True when the person may move Brazilian reais at the primary ramp.' })
  brlaEnabled!: boolean;

  @Field(() => Boolean, { description: 'True when the person may move US dollars at the primary ramp.' })
  usdEnabled!: boolean;

  @Field(() => Boolean, { description: 'Always false: no ramp supports euros.' })
  eurEnabled!: boolean;

  @Field(() => String, { nullable: true, description: 'Verification status in the terms of the ramp.' })
  providerStatus!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Rejection codes of the primary ramp. Null unless it rejected the person.',
  })
  rejectReason!: string | null;

  @Field(() => Boolean, { description: 'True when a new submission is possible.' })
  retryable!: boolean;

  @Field(() => JsonScalar, {
    description: 'The other ramps by name: `{ status, verificationLink, capabilities { BRL, USD }, verification }`.',
  })
  ramps!: object;

  @Field(() => AddressScalar, { description: 'The primary wallet of the profile.' })
  walletAddress!: string;

  @Field(() => [AddressScalar], { description: 'All wallets linked to this profile.' })
  walletAddresses!: readonly string[];

  @Field(() => DateTimeScalar, { description: 'Time of the last change of the verification.' })
  updatedAt!: Date;
}

@ObjectType({ simpleResolvers: true })
@Directive('@key(fields: "address")')
export class Wallet {
  @Field(() => AddressScalar, { description: 'The address.' })
  address!: string;
}

@ObjectType({ simpleResolvers: true, description: 'Wallets linked to a profile.' })
export class KycWallets {
  @Field(() => UuidScalar, { description: 'Id of the profile.' })
  kycUserId!: string;

  @Field(() => AddressScalar, {
    description: 'The primary wallet. When it is unlinked, the next wallet becomes the primary one.',
  })
  walletAddress!: string;

  @Field(() => [AddressScalar], {
    description: 'All wallets linked to this profile, the primary wallet first.',
  })
  walletAddresses!: readonly string[];
}

@ObjectType({ simpleResolvers: true, description: 'A currency that was requested at a ramp.' })
export class KycCurrency {
  @Field(() => UuidScalar, { description: 'Id of the profile.' })
  kycUserId!: string;

  @Field(() => String, { description: 'The requested currency.' })
  currency!: string;

  @Field(() => KycStatusEnum, { description: 'Verification status at the ramp.' })
  status!: keyof typeof KycStatusEnum;

  @Field(() => Boolean, { description: 'True when the person may move US dollars at the ramp.' })
  usdEnabled!: boolean;

  @Field(() => String, { nullable: true, description: "The ramp's id of the saved bank account." })
  externalAccountId!: string | null;
}
