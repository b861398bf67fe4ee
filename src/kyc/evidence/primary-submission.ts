import { z } from 'zod';
import { serviceError } from '../../errors/service-error';
import type { ValidationIssue } from '../../errors/validation';
import type { DocumentType, IdentityEvidence } from '../../ramps/kyc-provider';
import type { KnownPerson } from '../person';
import { isAdult, isBirthDate } from './calendar-date';
import { type EvidenceDeps, type FileInput, loadEvidence } from './load-evidence';
import {
  birthDay,
  confidence,
  file,
  group,
  oneOf,
  optional,
  phone,
  postalAddress,
  readInput,
  text,
} from './read-input';

const IMAGES = ['image/jpeg', 'image/png'] as const;

const submission = z.object({
  applicant: group({ fullName: text, dateOfBirth: birthDay, phone }),
  address: postalAddress,
  documents: group({
    documentType: oneOf(['RG', 'CNH', 'PASSPORT']),
    front: file,
    back: optional(file),
    attestation: group({
      provider: text,
      extracted: group({ fullName: text, birthDate: text, cpf: text, documentType: optional(text) }),
    }),
  }),
  liveness: group({ image: file, attestation: group({ provider: text, status: text, confidence }) }),
});

type Submission = z.output<typeof submission>;

export interface SubmissionRules {
  readonly person: KnownPerson;
  /** Minimum confidence of the liveness check, 0 to 100. */
  readonly livenessMinimum: number;
  readonly signal: AbortSignal;
}

/** A submission that has passed every check. Personal data; the files are kept in memory only. */
export interface CheckedSubmission {
  readonly person: KnownPerson;
  readonly evidence: IdentityEvidence;
}

/**
 * Checks a submission before it is sent to the primary ramp. The checks that end a verification permanently run last.
 *
 * @throws VALIDATION_ERROR with every invalid field; DOCUMENT_BACK_REQUIRED, DOCUMENT_BACK_NOT_ALLOWED, INVALID_BIRTH_DATE,
 * LIVENESS_BELOW_THRESHOLD, the codes of `loadEvidence`, and the terminal IDENTITY_CPF_MISMATCH and UNDER_18
 */
export async function checkPrimarySubmission(
  deps: EvidenceDeps,
  input: unknown,
  rules: SubmissionRules,
): Promise<CheckedSubmission> {
  const given = readPrimarySubmission(input, cpfIssues(input, rules.person));
  checkSides(given.documents);
  const { birthDate, cpf } = given.documents.attestation.extracted;
  const now = new Date();
  if (!isBirthDate(birthDate, now)) throw serviceError('INVALID_BIRTH_DATE');
  checkLiveness(given.liveness, rules.livenessMinimum);
  const evidence = await loadImages(deps, given, rules.signal);
  if (normalizeTaxId(cpf) !== rules.person.taxId) throw serviceError('IDENTITY_CPF_MISMATCH');
  if (![birthDate, given.applicant.dateOfBirth].every((date) => isAdult(date, now))) throw serviceError('UNDER_18');
  const { fullName, phone: number } = given.applicant;
  return { person: { ...rules.person, fullName, birthDate, phone: number, address: addressOf(given) }, evidence };
}

/** Parses a submission. @throws VALIDATION_ERROR with every invalid field, including the issues found before */
export const readPrimarySubmission = (input: unknown, found: readonly ValidationIssue[] = []): Submission =>
  readInput(submission, input, found);

const extractedCpf = z.object({
  documents: z.object({ attestation: z.object({ extracted: z.object({ cpf: text }) }) }),
});

/** A text that cannot be a CPF was misread. It is no CPF of another person, which would end the verification permanently. */
function cpfIssues(input: unknown, { taxIdCountry }: KnownPerson): readonly ValidationIssue[] {
  const { data } = extractedCpf.safeParse(input);
  if (data === undefined || taxIdCountry !== 'BRA') return [];
  if (/^[0-9]{11}$/.test(normalizeTaxId(data.documents.attestation.extracted.cpf))) return [];
  return [{ path: 'documents.attestation.extracted.cpf', message: 'must be a CPF of eleven digits' }];
}

/** The tax id without punctuation, in upper case, as it is stored. */
export const normalizeTaxId = (taxId: string): string => taxId.replace(/[.\-/\s]/g, '').toUpperCase();

const addressOf = ({ address }: Pick<Submission, 'address'>): NonNullable<KnownPerson['address']> => ({
  ...address,
  number: address.number,
  complement: address.complement,
});

function checkSides({ documentType, back }: Submission['documents']): void {
  if (documentType === 'PASSPORT') {
    if (back !== undefined) throw serviceError('DOCUMENT_BACK_NOT_ALLOWED', { documentType });
  } else if (back === undefined) throw serviceError('DOCUMENT_BACK_REQUIRED', { documentType });
}

function checkLiveness({ attestation }: Submission['liveness'], minimum: number): void {
  const isLive = attestation.status === 'SUCCEEDED' && attestation.confidence >= minimum;
  if (!isLive) throw serviceError('LIVENESS_BELOW_THRESHOLD');
}

const fileInput = (field: string, { base64, url }: z.output<typeof file>): FileInput => ({ field, base64, url });

async function loadImages(
  deps: EvidenceDeps,
  { documents, liveness }: Submission,
  signal: AbortSignal,
): Promise<IdentityEvidence> {
  const files = [
    fileInput('documents.front', documents.front),
    fileInput('liveness.image', liveness.image),
    ...(documents.back === undefined ? [] : [fileInput('documents.back', documents.back)]),
  ];
  const [front, selfie, back] = await loadEvidence(deps, files, { formats: IMAGES, signal });
  const documentType: DocumentType = documents.documentType;
  if (front === undefined) throw serviceError('INVALID_EVIDENCE_IMAGE', { field: 'documents.front' });
  return { documentType, front, back, selfie };
}
