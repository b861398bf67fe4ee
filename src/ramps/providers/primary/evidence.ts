import { setTimeout as delay } from 'node:timers/promises';
import { serviceError } from '../../../errors/service-error';
import type { DocumentType, EvidenceFile, EvidenceSubmission, Person } from '../../kyc-provider';
import { isStatus, refusalText, rampUnavailable, withoutBody } from './failures';
import type { PrimaryRampApi, AccountCall } from './ramp-api';
import { uploadFile } from './upload';
import { attemptList, created, documentState, openedDocument, readResponse, type ApiAttempt } from './api-schemas';

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
 * Uploads document and selfie and opens a verification attempt. Returns the open attempt when there is one.
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
  if (selfie === undefined) throw incompleteProfile('liveness');
  if (documentType === 'PROOF_OF_ADDRESS') throw incompleteProfile('documentType');
  try {
    const open = await findOpenAttempt(api, call);
    if (open !== undefined) return { attemptId: open.id };
    const [uploadedDocumentId, uploadedSelfieId] = await Promise.all([
      uploadDocument(api, { documentType: TYPES[documentType], front, back }, call),
      uploadDocument(api, { documentType: 'SELFIE', front: selfie, back: undefined }, call),
    ]);
    const body = { ...levelOneFields(submission.person), uploadedDocumentId, uploadedSelfieId };
    const query = { subAccountId: call.accountId };
    const response = await api.http.call({ method: 'POST', path: '/v2/kyc/new-level-1/api', query, body, signal });
    return { attemptId: readResponse(created, response).id };
  } catch (error) {
    const field = isStatus(error, 400, 422) ? fieldInRefusal(refusalText(error)) : undefined;
    throw field === undefined ? rampUnavailable(error) : incompleteProfile(field, error);
  }
}

const incompleteProfile = (fields: string, cause?: unknown) =>
  serviceError('KYC_PROFILE_INCOMPLETE_FOR_RAMP', { fields }, { cause: withoutBody(cause) });

function levelOneFields(person: Person): object {
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

/** Names of fields at the ramp, and in the API specification. */
const FIELDS: readonly (readonly [rampField: string, field: string])[] = [
  ['fullname', 'fullName'],
  ['dateofbirth', 'dateOfBirth'],
  ['email', 'email'],
  ['countryoftaxid', 'taxIdCountry'],
  ['taxidnumber', 'taxId'],
  ['zipcode', 'zipCode'],
  ['streetaddress', 'streetAddress'],
  ['city', 'city'],
  ['state', 'state'],
  ['country', 'country'],
  ['selfie', 'liveness'],
  ['document', 'documents'],
];

const fieldInRefusal = (text: string): string | undefined =>
  FIELDS.find(([rampField]) => text.includes(rampField))?.[1];

interface Document {
  readonly documentType: string;
  readonly front: EvidenceFile;
  readonly back: EvidenceFile | undefined;
}

/** Uploads a document and returns the ramp's id of it, once it is accepted. */
async function uploadDocument(api: PrimaryRampApi, document: Document, call: AccountCall): Promise<string> {
  const { front, back, documentType } = document;
  const { accountId, signal } = call;
  const body = { documentType, isDoubleSided: back !== undefined };
  const query = { subAccountId: accountId };
  const response = await api.http.call({ method: 'POST', path: DOCUMENTS, query, body, signal });
  const { id, uploadURLFront, uploadURLBack } = readResponse(openedDocument, response);
  const { apiUrl } = api;
  await Promise.all([
    uploadFile({ url: uploadURLFront, apiUrl, file: front }, signal),
    back === undefined ? undefined : uploadFile({ url: uploadURLBack ?? '', apiUrl, file: back }, signal),
  ]);
  if (!(await waitForDocument(api, id, call)))
    throw incompleteProfile(documentType === 'SELFIE' ? 'liveness' : 'documents');
  return id;
}

/** Polls until the ramp has checked the uploads, which an attempt requires. False when it refuses a file. */
async function waitForDocument(
  { http }: PrimaryRampApi,
  id: string,
  { accountId, signal }: AccountCall,
): Promise<boolean> {
  for (;;) {
    const response = await http.get(`/v2/documents/${encodeURIComponent(id)}`, { subAccountId: accountId }, signal);
    const { ready, uploadErrorFront, uploadErrorBack } = readResponse(documentState, response).document;
    if (ready) return true;
    if ([uploadErrorFront, uploadErrorBack].some((reason) => (reason ?? '') !== '')) return false;
    await delay(POLL_MS, undefined, { signal });
  }
}

/** Lists the attempts of an account, the newest first. @throws UpstreamError */
export async function listAttempts(
  { http }: PrimaryRampApi,
  { accountId, signal }: AccountCall,
): Promise<ApiAttempt[]> {
  const { attempts } = readResponse(
    attemptList,
    await http.get('/v2/kyc/attempts/', { subAccountId: accountId }, signal),
  );
  return attempts.toSorted((one, other) => (other.createdAt ?? '').localeCompare(one.createdAt ?? ''));
}

async function findOpenAttempt(api: PrimaryRampApi, call: AccountCall): Promise<ApiAttempt | undefined> {
  const attempts = await listAttempts(api, call);
  return attempts.find(({ status }) => status === 'PENDING' || status === 'PROCESSING');
}
