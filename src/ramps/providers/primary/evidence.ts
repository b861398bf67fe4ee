import { setTimeout as delay } from 'node:timers/promises';
import { serviceError } from '../../../errors/service-error';
import type { DocumentType, EvidenceFile, EvidenceSubmission, Person } from '../../identity-provider';
import { isStatus, refusalText, rampUnavailable, withoutBody } from './failures';
import type { PrimaryRampApi, AccountCall } from './ramp-api';
import { uploadFile } from './upload';
import { attemptList, created, documentState, openedDocument, readResponse, type WireAttempt } from './wire';

const DOCUMENTS = '/v2/documents/';
const POLL_MS = 300;

const TYPES: Readonly<Record<Exclude<DocumentType, 'PROOF_OF_ADDRESS'>, string>> = {
  RG: 'ID',
  NATIONAL_ID: 'ID',
  CNH: 'DRIVERS-LICENSE',
  DRIVER_LICENSE: 'DRIVERS-LICENSE',
  PASSPORT: 'PASSPORT',
};

/**
 * Uploads document and selfie and opens an attempt, unless one is open already.
 *
 * @throws KYC_PROFILE_INCOMPLETE_FOR_RAMP, PROVIDER_UNAVAILABLE
 */
export async function submitIdentityEvidence(
  api: PrimaryRampApi,
  submission: EvidenceSubmission,
  signal: AbortSignal,
): Promise<{ readonly attemptId: string }> {
  const call = { accountId: submission.account.accountId, signal };
  const { documentType, front, back, selfie } = submission.evidence;
  if (selfie === undefined) throw incomplete('liveness');
  if (documentType === 'PROOF_OF_ADDRESS') throw incomplete('documentType');
  try {
    const open = await openAttempt(api, call);
    if (open !== undefined) return { attemptId: open.id };
    const [uploadedDocumentId, uploadedSelfieId] = await Promise.all([
      uploadDocument(api, { documentType: TYPES[documentType], front, back }, call),
      uploadDocument(api, { documentType: 'SELFIE', front: selfie, back: undefined }, call),
    ]);
    const body = { ...levelOne(submission.person), uploadedDocumentId, uploadedSelfieId };
    const query = { subAccountId: call.accountId };
    const answer = await api.http.call({ method: 'POST', path: '/v2/kyc/new-level-1/api', query, body, signal });
    return { attemptId: readResponse(created, answer).id };
  } catch (error) {
    const field = isStatus(error, 400, 422) ? refusedField(refusalText(error)) : undefined;
    throw field === undefined ? rampUnavailable(error) : incomplete(field, error);
  }
}

const incomplete = (fields: string, cause?: unknown) =>
  serviceError('KYC_PROFILE_INCOMPLETE_FOR_RAMP', { fields }, { cause: withoutBody(cause) });

function levelOne(person: Person): object {
  const { address } = person;
  const street = [address.streetAddress, address.number, address.complement];
  return {
    fullName: person.fullName,
    dateOfBirth: person.birthDate,
    email: person.email,
    countryOfTaxId: person.taxIdCountry,
    taxIdNumber: person.taxId,
    country: address.country,
    state: address.state,
    city: address.city,
    zipCode: address.zipCode,
    streetAddress: street.filter((part) => part !== undefined && part !== '').join(', '),
  };
}

/** Their names of fields, and ours. */
const FIELDS: readonly (readonly [theirs: string, ours: string])[] = [
  ...([
    ['fullname', 'fullName'],
    ['dateofbirth', 'dateOfBirth'],
    ['email', 'email'],
  ] as const),
  ...([
    ['countryoftaxid', 'taxIdCountry'],
    ['taxidnumber', 'taxId'],
    ['zipcode', 'zipCode'],
  ] as const),
  ...([
    ['streetaddress', 'streetAddress'],
    ['city', 'city'],
    ['state', 'state'],
    ['country', 'country'],
  ] as const),
  ...([
    ['selfie', 'liveness'],
    ['document', 'documents'],
  ] as const),
];

const refusedField = (said: string): string | undefined => FIELDS.find(([theirs]) => said.includes(theirs))?.[1];

interface Document {
  readonly documentType: string;
  readonly front: EvidenceFile;
  readonly back: EvidenceFile | undefined;
}

/** Id of a document that the ramp has taken in. */
async function uploadDocument(api: PrimaryRampApi, document: Document, call: AccountCall): Promise<string> {
  const { front, back, documentType } = document;
  const { accountId, signal } = call;
  const body = { documentType, isDoubleSided: back !== undefined };
  const query = { subAccountId: accountId };
  const answer = await api.http.call({ method: 'POST', path: DOCUMENTS, query, body, signal });
  const { id, uploadURLFront, uploadURLBack } = readResponse(openedDocument, answer);
  const { apiUrl } = api;
  await Promise.all([
    uploadFile({ url: uploadURLFront, apiUrl, file: front }, signal),
    back === undefined ? undefined : uploadFile({ url: uploadURLBack ?? '', apiUrl, file: back }, signal),
  ]);
  if (!(await isTaken(api, id, call))) throw incomplete(documentType === 'SELFIE' ? 'liveness' : 'documents');
  return id;
}

/** The ramp looks at a file when it has arrived; until then it takes no attempt with it. False: it does not like a file. */
async function isTaken({ http }: PrimaryRampApi, id: string, { accountId, signal }: AccountCall): Promise<boolean> {
  for (;;) {
    const answer = await http.get(`/v2/documents/${encodeURIComponent(id)}`, { subAccountId: accountId }, signal);
    const { ready, uploadErrorFront, uploadErrorBack } = readResponse(documentState, answer).document;
    if (ready) return true;
    if ([uploadErrorFront, uploadErrorBack].some((wrong) => (wrong ?? '') !== '')) return false;
    await delay(POLL_MS, undefined, { signal });
  }
}

/** The attempts of a person, the newest first. @throws UpstreamError */
export async function listAttempts({ http }: PrimaryRampApi, { accountId, signal }: AccountCall): Promise<WireAttempt[]> {
  const { attempts } = readResponse(
    attemptList,
    await http.get('/v2/kyc/attempts/', { subAccountId: accountId }, signal),
  );
  return attempts.toSorted((one, other) => (other.createdAt ?? '').localeCompare(one.createdAt ?? ''));
}

async function openAttempt(api: PrimaryRampApi, call: AccountCall): Promise<WireAttempt | undefined> {
  const attempts = await listAttempts(api, call);
  return attempts.find(({ status }) => status === 'PENDING' || status === 'PROCESSING');
}
