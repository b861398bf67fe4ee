import { ArgsType, Field } from 'type-graphql';
import { AddressScalar, UuidScalar } from '../schema/scalars';
import {
  KycAddressInput,
  KycApplicantInput,
  KycDocumentsInput,
  KycFileInput,
  KycLivenessInput,
} from './evidence-inputs';

const RAMP_PROVIDER = 'The ramp: `primary`, `secondary`, or its brand, in any case. Default: the primary one.';

@ArgsType()
export class KycSessionArgs {
  @Field(() => String, { nullable: true, description: 'Tax id of a Brazilian.' })
  cpf?: string | null;

  @Field(() => String, { nullable: true, description: 'Instead of `cpf`.' })
  taxId?: string | null;

  @Field(() => String, { nullable: true, description: 'Three letters. Default `BRA`.' })
  taxIdCountry?: string | null;

  @Field(() => String, { nullable: true, description: 'Required.' })
  email?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Required: a checksummed EVM address or a Solana public key, the first wallet of the profile.',
  })
  walletAddress?: string | null;

  @Field(() => String, { nullable: true, description: 'Your own id of the person.' })
  externalUserId?: string | null;
}

@ArgsType()
export class KycStatusArgs {
  @Field(() => UuidScalar, { nullable: true, description: 'The person, by the id of their profile.' })
  kycUserId?: string | null;

  @Field(() => String, { nullable: true, description: 'Counts when `kycUserId` is not given.' })
  externalUserId?: string | null;

  @Field(() => AddressScalar, { nullable: true, description: 'Counts when neither id is given.' })
  walletAddress?: string | null;

  @Field(() => String, { nullable: true, description: 'Together with `walletAddress`.' })
  email?: string | null;

  @Field(() => String, { nullable: true, description: RAMP_PROVIDER })
  rampProvider?: string | null;
}

@ArgsType()
export class KycEvidenceArgs {
  @Field(() => UuidScalar, { description: 'The profile that is submitted.' })
  kycUserId!: string;

  @Field(() => String, { nullable: true, description: RAMP_PROVIDER })
  rampProvider?: string | null;

  @Field(() => KycApplicantInput, { nullable: true, description: 'Primary ramp.' })
  applicant?: KycApplicantInput | null;

  @Field(() => KycAddressInput, { nullable: true, description: 'Both ramps.' })
  address?: KycAddressInput | null;

  @Field(() => KycDocumentsInput, { nullable: true, description: 'Primary ramp.' })
  documents?: KycDocumentsInput | null;

  @Field(() => KycLivenessInput, { nullable: true, description: 'Primary ramp.' })
  liveness?: KycLivenessInput | null;

  @Field(() => String, { nullable: true, description: 'Secondary ramp.' })
  firstName?: string | null;

  @Field(() => String, { nullable: true, description: 'Secondary ramp.' })
  lastName?: string | null;

  @Field(() => String, { nullable: true, description: 'Secondary ramp.' })
  email?: string | null;

  @Field(() => String, { nullable: true, description: 'Secondary ramp.' })
  phone?: string | null;

  @Field(() => String, { nullable: true, description: 'Secondary ramp: YYYY-MM-DD.' })
  dateOfBirth?: string | null;

  @Field(() => String, { nullable: true, description: 'Secondary ramp: that of the session.' })
  taxId?: string | null;

  @Field(() => String, { nullable: true, description: 'Secondary ramp.' })
  taxIdCountry?: string | null;

  @Field(() => String, {
    nullable: true,
    deprecationReason: 'Use taxId.',
    description: 'Tax id of a Brazilian: that of the session.',
  })
  cpf?: string | null;
}

@ArgsType()
export class KycDocumentArgs {
  @Field(() => UuidScalar, { description: 'The profile whose document it is.' })
  kycUserId!: string;

  @Field(() => String, { nullable: true, description: RAMP_PROVIDER })
  rampProvider?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Required: `NATIONAL_ID`, `DRIVER_LICENSE`, `PASSPORT` or `PROOF_OF_ADDRESS`.',
  })
  documentType?: string | null;

  @Field(() => String, { nullable: true, description: '`FRONT` or `BACK`, of the first two types.' })
  documentSide?: string | null;

  @Field(() => String, { nullable: true, description: 'Three letters: where the document is from.' })
  country?: string | null;

  @Field(() => KycFileInput, { nullable: true, description: 'Required: JPEG, PNG or PDF.' })
  file?: KycFileInput | null;
}

@ArgsType()
export class KycWalletArgs {
  @Field(() => UuidScalar, { description: 'The profile.' })
  kycUserId!: string;

  @Field(() => AddressScalar, { description: 'A wallet: a checksummed EVM address or a Solana public key.' })
  walletAddress!: string;
}
