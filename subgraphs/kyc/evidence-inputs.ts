import { Field, Float, InputType } from 'type-graphql';

// What has to be there depends on the ramp: the domain tells of every problem at once.

@InputType({ description: 'An image or document: its bytes, or where they are.' })
export class KycFileInput {
  @Field(() => String, {
    nullable: true,
    description:
      'The bytes, at most 8 MB, without a data: prefix. A GraphQL request is 1 MB at most: larger files go by `url`, or through REST.',
  })
  base64?: string | null;

  @Field(() => String, { nullable: true, description: 'An https URL at a storage that the service knows.' })
  url?: string | null;

  @Field(() => String, { nullable: true, description: 'What the bytes are is read from them.' })
  mimeType?: string | null;
}

@InputType({ description: 'Who is verified.' })
export class KycApplicantInput {
  @Field(() => String, { nullable: true, description: 'As it stands on the document.' })
  fullName?: string | null;

  @Field(() => String, { nullable: true, description: 'YYYY-MM-DD.' })
  dateOfBirth?: string | null;

  @Field(() => String, { nullable: true, description: 'With the country code: +5511999990000.' })
  phone?: string | null;
}

@InputType({ description: 'Where somebody lives.' })
export class KycAddressInput {
  @Field(() => String, { nullable: true, description: 'Three letters: BRA.' })
  country?: string | null;

  @Field(() => String, { nullable: true, description: 'State or region.' })
  state?: string | null;

  @Field(() => String, { nullable: true, description: 'City.' })
  city?: string | null;

  @Field(() => String, { nullable: true, description: 'Postal code.' })
  zipCode?: string | null;

  @Field(() => String, { nullable: true, description: 'Street, without the number.' })
  streetAddress?: string | null;

  @Field(() => String, { nullable: true, description: 'Number of the house.' })
  number?: string | null;

  @Field(() => String, { nullable: true, description: 'Apartment, block or floor.' })
  complement?: string | null;
}

@InputType({ description: 'What was read from a document.' })
export class KycExtractedInput {
  @Field(() => String, { nullable: true, description: 'The name on the document.' })
  fullName?: string | null;

  @Field(() => String, { nullable: true, description: 'YYYY-MM-DD.' })
  birthDate?: string | null;

  @Field(() => String, { nullable: true, description: 'The CPF on the document: it has to be that of the session.' })
  cpf?: string | null;

  @Field(() => String, { nullable: true, description: 'The type of the document, by whoever read it.' })
  documentType?: string | null;
}

@InputType({ description: 'What was read from a document, and by whom.' })
export class KycDocumentAttestationInput {
  @Field(() => String, { nullable: true, description: 'Who read the document.' })
  provider?: string | null;

  @Field(() => KycExtractedInput, { nullable: true, description: 'What was read.' })
  extracted?: KycExtractedInput | null;
}

@InputType({ description: 'A document of identity.' })
export class KycDocumentsInput {
  @Field(() => String, { nullable: true, description: '`RG`, `CNH` or `PASSPORT`.' })
  documentType?: string | null;

  @Field(() => KycFileInput, { nullable: true, description: 'The front, or the page with the photograph.' })
  front?: KycFileInput | null;

  @Field(() => KycFileInput, { nullable: true, description: 'Of RG and CNH; a passport has none.' })
  back?: KycFileInput | null;

  @Field(() => KycDocumentAttestationInput, {
    nullable: true,
    description: 'What was read from the document, and by whom.',
  })
  attestation?: KycDocumentAttestationInput | null;
}

@InputType({ description: 'The outcome of a check that the person is alive.' })
export class KycLivenessAttestationInput {
  @Field(() => String, { nullable: true, description: 'Who checked that the person is alive.' })
  provider?: string | null;

  @Field(() => String, { nullable: true, description: '`SUCCEEDED`.' })
  status?: string | null;

  @Field(() => Float, { nullable: true, description: '0 to 100.' })
  confidence?: number | null;
}

@InputType({ description: 'Proof that the person is there.' })
export class KycLivenessInput {
  @Field(() => KycFileInput, { nullable: true, description: 'A photograph of the person: JPEG or PNG.' })
  image?: KycFileInput | null;

  @Field(() => KycLivenessAttestationInput, { nullable: true, description: 'The outcome of the check.' })
  attestation?: KycLivenessAttestationInput | null;
}
