/** Fields that are required although the graph declares them nullable, so that one response reports all that are missing. */
interface RequiredFields {
  readonly all: readonly string[];
  /** Groups: at least one field of each is required. */
  readonly anyOf?: readonly FieldGroup[];
  /** Groups: exactly one field of each is required. */
  readonly oneOf?: readonly FieldGroup[];
}

type FieldGroup = readonly string[];

const TRANSFER: RequiredFields = {
  all: ['chainId', 'token', 'amount'],
  anyOf: [
    ['originAddress', 'walletOrigin'],
    ['destinationAddress', 'walletDestination'],
  ],
};

/** By operation, or by name of an input type. */
export const REQUIRED_FIELDS: Readonly<Record<string, RequiredFields>> = {
  'Mutation.createTransfer': TRANSFER,
  'Query.transfer': TRANSFER,
  'Query.strategyTransaction': { all: ['action', 'wallet'], oneOf: [['amount', 'amountInShares']] },
  'Query.pendingStrategyActions': { all: ['wallet'] },
  'Mutation.createKycSession': { all: ['email', 'walletAddress'], oneOf: [['cpf', 'taxId']] },
  'Mutation.submitKycDocument': { all: ['documentType', 'file'] },
  KycAddressInput: { all: ['country', 'state', 'city', 'zipCode', 'streetAddress'] },
  KycApplicantInput: { all: ['fullName', 'dateOfBirth', 'phone'] },
  KycDocumentAttestationInput: { all: ['provider', 'extracted'] },
  KycDocumentsInput: { all: ['documentType', 'front', 'attestation'] },
  KycExtractedInput: { all: ['fullName', 'birthDate', 'cpf'] },
  KycFileInput: { all: [], oneOf: [['base64', 'url']] },
  KycLivenessAttestationInput: { all: ['provider', 'status', 'confidence'] },
  KycLivenessInput: { all: ['image', 'attestation'] },
};

/** A field of an object schema. */
interface DeclaredField {
  readonly name: string;
  /** True when the graph itself requires it. */
  readonly required: boolean;
}

/** The required ones of these fields, by operation or input type. */
export const requiredNames = (key: string, fields: readonly DeclaredField[]): readonly string[] =>
  fields.filter(({ name, required }) => required || REQUIRED_FIELDS[key]?.all.includes(name) === true).map(nameOf);

/** The parts of an object schema that say which of its fields are required. */
export function requirements(key: string, fields: readonly DeclaredField[]): Readonly<Record<string, unknown>> {
  const required = requiredNames(key, fields);
  const { anyOf = [], oneOf = [] } = REQUIRED_FIELDS[key] ?? NOTHING_REQUIRED;
  const groups = [
    ...anyOf.map((group) => ({ anyOf: eachRequired(group) })),
    ...oneOf.map((group) => ({ oneOf: eachRequired(group) })),
  ];
  return {
    ...(required.length === 0 ? {} : { required }),
    ...(groups.length === 0 ? {} : { allOf: groups }),
  };
}

const NOTHING_REQUIRED: RequiredFields = { all: [] };

const nameOf = ({ name }: DeclaredField): string => name;

/** A schema for each field of a group, which requires that field. */
const eachRequired = (group: FieldGroup) => group.map((name) => ({ required: [name] }));
