import { ArgsType, Field } from 'type-graphql';
import { AddressScalar, UuidScalar } from '../schema/scalars';
import {
  KycAddressInput,
  KycApplicantInput,
  KycDocumentsInput,
  KycFileInput,
  KycLivenessInput,
} from './evidence-inputs';

const RAMP_PROVIDER =
  'The ramp: `primary`, `secondary` or its brand name, case-insensitive. Default: the primary ramp.';

@ArgsType()
export class KycSessionArgs {
  @Field(() => String, { nullable: true, description: 'Brazilian tax id (CPF). Required unless `taxId` is given.' })
  cpf?: string | null;

  @Field(() => String, { nullable: true, description: 'Tax id. Used in place of `cpf`.' })
  taxId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Country that issued the tax id, as an ISO 3166-1 alpha-3 code. Default `BRA`.',
  })
  taxIdCountry?: string | null;

  @Field(() => String, { nullable: true, description: 'Email address. Required.' })
  email?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Required. The first wallet of the profile: a checksummed EVM address or a Solana public key.',
  })
  walletAddress?: string | null;

  @Field(() => String, { nullable: true, description: 'Your own id for the person.' })
  externalUserId?: string | null;
}

@ArgsType()
export class KycStatusArgs {
  @Field(() => UuidScalar, { nullable: true, description: "Id of the person's profile." })
  kycUserId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Your own id for the person. Used when `kycUserId` is not given.',
  })
  externalUserId?: string | null;

  @Field(() => AddressScalar, { nullable: true, description: 'Wallet of the person. Used when neither id is given.' })
  walletAddress?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Email address of the person. Used together with `walletAddress`.',
  })
  email?: string | null;

  @Field(() => String, { nullable: true, description: RAMP_PROVIDER })
  rampProvider?: string | null;
}

@ArgsType()
export class KycEvidenceArgs {
  @Field(() => UuidScalar, { description: 'Id of the profile to submit.' })
  kycUserId!: string;

  @Field(() => String, { nullable: true, description: RAMP_PROVIDER })
  rampProvider?: string | null;

  @Field(() => KycApplicantInput, { nullable: true, description: 'The person to verify. Primary ramp only.' })
  applicant?: KycApplicantInput | null;

  @Field(() => KycAddressInput, { nullable: true, description: 'Residential address. Used by both ramps.' })
  address?: KycAddressInput | null;

  @Field(() => KycDocumentsInput, { nullable: true, description: 'Identity document. Primary ramp only.' })
  documents?: KycDocumentsInput | null;

  @Field(() => KycLivenessInput, { nullable: true, description: 'Liveness check. Primary ramp only.' })
  liveness?: KycLivenessInput | null;

  @Field(() => String, { nullable: true, description: 'First name. Secondary ramp only.' })
  firstName?: string | null;

  @Field(() => String, { nullable: true, description: 'Last name. Secondary ramp only.' })
  lastName?: string | null;

  @Field(() => String, { nullable: true, description: 'Email address. Secondary ramp only.' })
  email?: string | null;

  @Field(() => String, { nullable: true, description: 'Phone number with country code. Secondary ramp only.' })
  phone?: string | null;

  @Field(() => String, { nullable: true, description: 'Date of birth, YYYY-MM-DD. Secondary ramp only.' })
  dateOfBirth?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Tax id. Must equal the tax id of the session. Secondary ramp only.',
  })
  taxId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Country that issued the tax id, as an ISO 3166-1 alpha-3 code. Secondary ramp only.',
  })
  taxIdCountry?: string | null;

  @Field(() => String, {
    nullable: true,
    deprecationReason: 'Use taxId.',
    description: 'Brazilian tax id (CPF). Must equal the tax id of the session.',
  })
  cpf?: string | null;
}

@ArgsType()
export class KycDocumentArgs {
  @Field(() => UuidScalar, { description: 'Id of the profile that the document belongs to.' })
  kycUserId!: string;

  @Field(() => String, { nullable: true, description: RAMP_PROVIDER })
  rampProvider?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Required. `NATIONAL_ID`, `DRIVER_LICENSE`, `PASSPORT` or `PROOF_OF_ADDRESS`.',
  })
  documentType?: string | null;

  @Field(() => String, { nullable: true, description: '`FRONT` or `BACK`. For `NATIONAL_ID` and `DRIVER_LICENSE`.' })
  documentSide?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Country that issued the document, as an ISO 3166-1 alpha-3 code.',
  })
  country?: string | null;

  @Field(() => KycFileInput, { nullable: true, description: 'Required. The document as JPEG, PNG or PDF.' })
  file?: KycFileInput | null;
}

@ArgsType()
export class KycWalletArgs {
  @Field(() => UuidScalar, { description: 'Id of the profile.' })
  kycUserId!: string;

  @Field(() => AddressScalar, { description: 'A wallet: a checksummed EVM address or a Solana public key.' })
  walletAddress!: string;
}
