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
  description: 'What a ramp thinks of a person. Only `approved` moves money.',
  valuesConfig: {
    created: { description: 'Nothing was submitted yet.' },
    provider_pending: { description: 'The ramp is at it.' },
    approved: { description: 'The person may move money.' },
    rejected: { description: 'Turned down.' },
    rejected_retryable: { description: 'Rejected; another submission may do.' },
    blocked: { description: 'Ended for good.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'A person, as far as the ramps have verified them.' })
@Directive('@key(fields: "kycUserId")')
export class KycProfile {
  @Field(() => UuidScalar, { description: 'Id of the profile.' })
  kycUserId!: string;

  @Field(() => String, { description: 'The primary ramp, by the name that was asked for.' })
  provider!: string;

  @Field(() => KycStatusEnum, { description: 'Of the primary ramp.' })
  status!: keyof typeof KycStatusEnum;

  @Field(() => Boolean, { description: 'True when the primary ramp lets the person move reais.' })
  brlaEnabled!: boolean;

  @Field(() => Boolean, { description: 'True when the primary ramp lets the person move dollars.' })
  usdEnabled!: boolean;

  @Field(() => Boolean, { description: 'False: no ramp moves euros.' })
  eurEnabled!: boolean;

  @Field(() => String, { nullable: true, description: "The ramp's own word." })
  providerStatus!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Why the primary ramp rejected the person, in its codes; null unless it did.',
  })
  rejectReason!: string | null;

  @Field(() => Boolean, { description: 'True when another submission may do.' })
  retryable!: boolean;

  @Field(() => JsonScalar, {
    description: 'The other ramps by name: `{ status, verificationLink, capabilities { BRL, USD }, verification }`.',
  })
  ramps!: object;

  @Field(() => AddressScalar, { description: 'The primary wallet.' })
  walletAddress!: string;

  @Field(() => [AddressScalar], { description: 'Every wallet that may quote and pay.' })
  walletAddresses!: readonly string[];

  @Field(() => DateTimeScalar, { description: 'When anything of the verification changed last.' })
  updatedAt!: Date;
}

@ObjectType({ simpleResolvers: true })
@Directive('@key(fields: "address")')
export class Wallet {
  @Field(() => AddressScalar, { description: 'The address.' })
  address!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The wallets that may quote and pay against a profile.' })
export class KycWallets {
  @Field(() => UuidScalar, { description: 'Id of the profile.' })
  kycUserId!: string;

  @Field(() => AddressScalar, { description: 'The primary wallet; unlinking it promotes the next one.' })
  walletAddress!: string;

  @Field(() => [AddressScalar], { description: 'Every wallet that may quote and pay, the primary one first.' })
  walletAddresses!: readonly string[];
}

@ObjectType({ simpleResolvers: true, description: 'A currency that a ramp was asked for.' })
export class KycCurrency {
  @Field(() => UuidScalar, { description: 'Id of the profile.' })
  kycUserId!: string;

  @Field(() => String, { description: 'The currency that was asked for.' })
  currency!: string;

  @Field(() => KycStatusEnum, { description: 'How the verification stands at the ramp that was asked.' })
  status!: keyof typeof KycStatusEnum;

  @Field(() => Boolean, { description: 'True when dollars may be moved there.' })
  usdEnabled!: boolean;

  @Field(() => String, { nullable: true, description: "The ramp's id of the bank account that was saved." })
  externalAccountId!: string | null;
}
