import { createHash } from 'node:crypto';

/** A grey gradient of eight by eight pixels. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAAAAADhZOFXAAAAU0lEQVR42gFIALf/ABQcJCw0PERMACgwOEBIUFhgADxETFRcZGx0AFBYYGhweICIAGRsdHyEjJScAHiAiJCYoKiwAIyUnKSstLzEAKCosLjAyNDYL7Udgex93/MAAAAASUVORK5CYII=';
/** Eight by eight pixels of one grey. */
const JPEG =
  '/9j/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAALCAAIAAgBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AP//Z';

const SCAN = { base64: PNG, mimeType: 'image/png' };
const PHOTO = { base64: JPEG, mimeType: 'image/jpeg' };

const [FIRST_NAME, LAST_NAME, BIRTH_DATE, PHONE] = ['Ana Beatriz', 'Lima', '1990-01-31', '+5511999990000'];
const ADDRESS = {
  country: 'BRA',
  state: 'SP',
  city: 'São Paulo',
  zipCode: '01310-100',
  streetAddress: 'Avenida Paulista',
  number: '1000',
  complement: '',
};

/** A CPF with valid check digits, the same one for the same seed. It belongs to no real person. */
export function cpfOf(seed: string): string {
  const digits = Array.from(createHash('sha256').update(seed).digest().subarray(0, 9), (byte) => byte % 10);
  for (const length of [9, 10]) {
    const sum = digits.slice(0, length).reduce((total, digit, index) => total + digit * (length + 1 - index), 0);
    digits.push(sum % 11 < 2 ? 0 : 11 - (sum % 11));
  }
  return digits.join('');
}

export const emailOf = (cpf: string): string => `ana.${cpf}@example.com`;

/** Body of a submission to the primary ramp: an RG with both sides, and a selfie. */
export function primaryEvidence(cpf: string): object {
  const [fullName, birthDate] = [`${FIRST_NAME} ${LAST_NAME}`, BIRTH_DATE];
  const extracted = { fullName, birthDate, cpf, documentType: 'RG' };
  return {
    applicant: { fullName, dateOfBirth: birthDate, phone: PHONE },
    address: ADDRESS,
    documents: {
      documentType: 'RG',
      front: SCAN,
      back: SCAN,
      attestation: { provider: 'documents', extracted },
    },
    liveness: { image: PHOTO, attestation: { provider: 'faces', status: 'SUCCEEDED', confidence: 98.5 } },
  };
}

/** Body of a submission to the secondary ramp. Its documents are submitted one by one afterwards. */
export const secondarySubmission = (cpf: string): object => ({
  rampProvider: 'secondary',
  firstName: FIRST_NAME,
  lastName: LAST_NAME,
  email: emailOf(cpf),
  phone: PHONE,
  dateOfBirth: BIRTH_DATE,
  taxId: cpf,
  taxIdCountry: 'BRA',
  address: ADDRESS,
});

const document = { rampProvider: 'secondary', country: 'BRA', file: SCAN };

/** Bodies of the documents that the secondary ramp requires, in their order. */
export const SECONDARY_DOCUMENTS: readonly object[] = [
  { ...document, documentType: 'NATIONAL_ID', documentSide: 'FRONT' },
  { ...document, documentType: 'NATIONAL_ID', documentSide: 'BACK' },
  { ...document, documentType: 'PROOF_OF_ADDRESS', file: PHOTO },
];

/** Bank fields of an account in the United States, for quotes and unlocked currencies. */
export const BANK_FIELDS = {
  bankAccountNumber: '000123456789',
  bankRoutingNumber: '021000021',
  bankName: 'JPMorgan Chase',
  bankBeneficiaryName: `${FIRST_NAME} ${LAST_NAME}`,
  beneficiaryStreetLine1: '1 Main Street',
  beneficiaryCity: 'New York',
  beneficiaryState: 'NY',
  beneficiaryPostalCode: '10001',
  beneficiaryCountry: 'USA',
} as const;
