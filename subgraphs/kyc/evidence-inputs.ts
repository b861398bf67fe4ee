import { Field, Float, InputType } from 'type-graphql';

// Required fields depend on the ramp: the domain checks them and reports every problem at once.

@InputType({ description: 'An image or document, as base64 or by URL. Give exactly one of `base64` and `url`.' })
export class KycFileInput {
  @Field(() => String, {
    nullable: true,
    description:
      'The file in base64, at most 8 MB, without a `data:` prefix. Line breaks and missing padding are accepted. A GraphQL request is limited to 1 MB: send larger files by `url` or through REST.',
  })
  base64?: string | null;

  @Field(() => String, { nullable: true, description: 'An https URL at an allowed storage provider.' })
  url?: string | null;

  @Field(() => String, { nullable: true, description: 'Ignored: the media type is detected from the content.' })
  mimeType?: string | null;
}

@InputType({ description: 'The person to verify.' })
export class KycApplicantInput {
  @Field(() => String, { nullable: true, description: 'Full name, as printed on the document.' })
  fullName?: string | null;

  @Field(() => String, { nullable: true, description: 'YYYY-MM-DD.' })
  dateOfBirth?: string | null;

  @Field(() => String, { nullable: true, description: 'Phone number with country code, such as +5511999990000.' })
  phone?: string | null;
}

@InputType({ description: 'Residential address of a person.' })
export class KycAddressInput {
  @Field(() => String, { nullable: true, description: 'Country, as an ISO 3166-1 alpha-3 code such as `BRA`.' })
  country?: string | null;

  @Field(() => String, { nullable: true, description: 'State or region.' })
  state?: string | null;

  @Field(() => String, { nullable: true, description: 'City.' })
  city?: string | null;

  @Field(() => String, { nullable: true, description: 'Postal code.' })
  zipCode?: string | null;

  @Field(() => String, { nullable: true, description: 'Street, without the house number.' })
  streetAddress?: string | null;

  @Field(() => String, { nullable: true, description: 'House number.' })
  number?: string | null;

  @Field(() => String, { nullable: true, description: 'Apartment, block or floor.' })
  complement?: string | null;
}

@InputType({ description: 'Data read from a document.' })
export class KycExtractedInput {
  @Field(() => String, { nullable: true, description: 'Name on the document.' })
  fullName?: string | null;

  @Field(() => String, { nullable: true, description: 'YYYY-MM-DD.' })
  birthDate?: string | null;

  @Field(() => String, { nullable: true, description: 'CPF on the document. Must equal the CPF of the session.' })
  cpf?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Type of the document, as detected by the attestation provider.',
  })
  documentType?: string | null;
}

@InputType({ description: 'Data read from a document, with the provider that read it.' })
export class KycDocumentAttestationInput {
  @Field(() => String, { nullable: true, description: 'Provider that read the document.' })
  provider?: string | null;

  @Field(() => KycExtractedInput, { nullable: true, description: 'Data read from the document.' })
  extracted?: KycExtractedInput | null;
}

@InputType({ description: 'An identity document.' })
export class KycDocumentsInput {
  @Field(() => String, { nullable: true, description: '`RG`, `CNH` or `PASSPORT`.' })
  documentType?: string | null;

  @Field(() => KycFileInput, { nullable: true, description: 'Front side, or the photo page of a passport.' })
  front?: KycFileInput | null;

  @Field(() => KycFileInput, {
    nullable: true,
    description: 'Back side. Required for `RG` and `CNH`, not allowed for `PASSPORT`.',
  })
  back?: KycFileInput | null;

  @Field(() => KycDocumentAttestationInput, {
    nullable: true,
    description: 'Data read from the document, with the provider that read it.',
  })
  attestation?: KycDocumentAttestationInput | null;
}

@InputType({ description: 'Result of a liveness check.' })
export class KycLivenessAttestationInput {
  @Field(() => String, { nullable: true, description: 'Provider that ran the liveness check.' })
  provider?: string | null;

  @Field(() => String, { nullable: true, description: 'Result of the check. Only `SUCCEEDED` is accepted.' })
  status?: string | null;

  @Field(() => Float, { nullable: true, description: 'Confidence of the check, from 0 to 100.' })
  confidence?: number | null;
}

@InputType({ description: 'Proof that the person is present.' })
export class KycLivenessInput {
  @Field(() => KycFileInput, { nullable: true, description: 'Photo of the person, as JPEG or PNG.' })
  image?: KycFileInput | null;

  @Field(() => KycLivenessAttestationInput, { nullable: true, description: 'Result of the liveness check.' })
  attestation?: KycLivenessAttestationInput | null;
}
