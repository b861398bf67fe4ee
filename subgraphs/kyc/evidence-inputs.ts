import { Field, Float, InputType } from 'type-graphql';

// What has to be there depends on the ramp: the domain tells of every problem at once.

@InputType({ description: 'An image or document: its bytes, or where they are.' })
export class KycFileInput {
  @Field(() => String, { nullable: true, description: 'The bytes, at most 8 MB, without a data: prefix.' })
  base64?: string | null;

  @Field(() => String, { nullable: true, description: 'An https URL at a storage that the service knows.' })
  url?: string | null;

  @Field(() => String, { nullable: true, description: 'What the bytes are is read from them.' })
  mimeType?: string | null;
}

@InputType()
export class KycApplicantInput {
  @Field(() => String, { nullable: true })
  fullName?: string | null;

  @Field(() => String, { nullable: true, description: 'YYYY-MM-DD.' })
  dateOfBirth?: string | null;

  @Field(() => String, { nullable: true })
  phone?: string | null;
}

@InputType()
export class KycAddressInput {
  @Field(() => String, { nullable: true, description: 'Three letters: BRA.' })
  country?: string | null;

  @Field(() => String, { nullable: true })
  state?: string | null;

  @Field(() => String, { nullable: true })
  city?: string | null;

  @Field(() => String, { nullable: true })
  zipCode?: string | null;

  @Field(() => String, { nullable: true })
  streetAddress?: string | null;

  @Field(() => String, { nullable: true })
  number?: string | null;

  @Field(() => String, { nullable: true })
  complement?: string | null;
}

@InputType({ description: 'What was read from a document.' })
export class KycExtractedInput {
  @Field(() => String, { nullable: true })
  fullName?: string | null;

  @Field(() => String, { nullable: true, description: 'YYYY-MM-DD.' })
  birthDate?: string | null;

  @Field(() => String, { nullable: true })
  cpf?: string | null;

  @Field(() => String, { nullable: true })
  documentType?: string | null;
}

@InputType()
export class KycDocumentAttestationInput {
  @Field(() => String, { nullable: true })
  provider?: string | null;

  @Field(() => KycExtractedInput, { nullable: true })
  extracted?: KycExtractedInput | null;
}

@InputType()
export class KycDocumentsInput {
  @Field(() => String, { nullable: true, description: '`RG`, `CNH` or `PASSPORT`.' })
  documentType?: string | null;

  @Field(() => KycFileInput, { nullable: true })
  front?: KycFileInput | null;

  @Field(() => KycFileInput, { nullable: true, description: 'Of RG and CNH; a passport has none.' })
  back?: KycFileInput | null;

  @Field(() => KycDocumentAttestationInput, { nullable: true })
  attestation?: KycDocumentAttestationInput | null;
}

@InputType()
export class KycLivenessAttestationInput {
  @Field(() => String, { nullable: true })
  provider?: string | null;

  @Field(() => String, { nullable: true, description: '`SUCCEEDED`.' })
  status?: string | null;

  @Field(() => Float, { nullable: true, description: '0 to 100.' })
  confidence?: number | null;
}

@InputType()
export class KycLivenessInput {
  @Field(() => KycFileInput, { nullable: true })
  image?: KycFileInput | null;

  @Field(() => KycLivenessAttestationInput, { nullable: true })
  attestation?: KycLivenessAttestationInput | null;
}
