import { randomBytes } from 'node:crypto';
import { serviceError } from '../../../errors/service-error';
import type {
  DocumentSubmission,
  DocumentType,
  EvidenceFile,
  EvidenceSubmission,
  VerifiableAccount,
  RampKycProvider,
} from '../../kyc-provider';
import { saveUsdAccount } from './beneficiary';
import { openCustomer } from './customers';
import { customerFailure, SECONDARY } from './failures';
import { customerById, apiPath, type SecondaryRampApi } from './ramp-api';
import { identified, readResponse, type ApiCustomer } from './api-schemas';
import { requestCheck, requestVerificationState } from './verification';

/** Verification at the secondary ramp. USD requires a saved bank account and the ramp's approval. */
export function secondaryIdentity(api: SecondaryRampApi): RampKycProvider {
  return {
    id: SECONDARY,
    openAccount: (person, opening, signal) => openCustomer(api, { person, opening }, signal),
    submitEvidence: (submission, signal) => translateErrors(() => submitEvidence(api, submission, signal)),
    submitDocument: (submission, signal) => translateErrors(() => submitDocument(api, submission, signal)),
    verificationState: ({ accountId }: VerifiableAccount, signal, { readOnly = false } = {}) =>
      translateErrors(() => requestVerificationState(api, { accountId, readOnly }, signal)),
    saveBeneficiary: ({ accountId }, target, signal) =>
      translateErrors(() => saveUsdAccount(api, { ...target, accountId }, signal)),
  };
}

async function translateErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw customerFailure('CUSTOMER', error);
  }
}

const DOCUMENTS: Readonly<Record<DocumentType, string>> = {
  RG: 'NATIONAL_ID',
  CNH: 'DRIVER_LICENSE',
  PASSPORT: 'PASSPORT',
  NATIONAL_ID: 'NATIONAL_ID',
  DRIVER_LICENSE: 'DRIVER_LICENSE',
  PROOF_OF_ADDRESS: 'PROOF_OF_ADDRESS',
};

async function submitEvidence(
  api: SecondaryRampApi,
  { account, person, evidence }: EvidenceSubmission,
  signal: AbortSignal,
): Promise<object> {
  if (!(await takesDocuments(api, account.accountId, signal))) return {};
  const { documentType, front, back, selfie } = evidence;
  const files = [
    { document_type: DOCUMENTS[documentType], document_side: sideOf(documentType, 'FRONT'), file: front },
    { document_type: DOCUMENTS[documentType], document_side: 'BACK', file: back },
    { document_type: 'SELFIE', document_side: undefined, file: selfie },
  ];
  for (const { file, ...metadata } of files) {
    if (file === undefined) continue;
    await upload(
      api,
      { accountId: account.accountId, file, metadata: { ...metadata, country: person.taxIdCountry } },
      signal,
    );
  }
  await requestCheck(api, account.accountId, signal);
  return {};
}

async function submitDocument(
  api: SecondaryRampApi,
  { account, documentType, side, country, file }: DocumentSubmission,
  signal: AbortSignal,
): Promise<void> {
  if (!(await takesDocuments(api, account.accountId, signal))) return;
  const metadata = {
    document_type: DOCUMENTS[documentType],
    document_side: sideOf(documentType, side ?? 'FRONT'),
    country,
  };
  await upload(api, { accountId: account.accountId, file, metadata }, signal);
}

/** The ramp requires a side for every identity document, passports included, and none for a proof of address. */
const sideOf = <Side extends string>(documentType: DocumentType, side: Side): Side | undefined =>
  documentType === 'PROOF_OF_ADDRESS' ? undefined : side;

/** False for approved customers, who need no documents. @throws SECONDARY_RAMP_KYC_IN_PROGRESS, SECONDARY_RAMP_KYC_REJECTED */
async function takesDocuments(api: SecondaryRampApi, accountId: string, signal: AbortSignal): Promise<boolean> {
  const { status }: ApiCustomer = await customerById(api, accountId, signal);
  if (status === 'under_review') throw serviceError('SECONDARY_RAMP_KYC_IN_PROGRESS');
  if (status === 'rejected') throw serviceError('SECONDARY_RAMP_KYC_REJECTED');
  return status !== 'approved';
}

interface Upload {
  readonly accountId: string;
  readonly file: DocumentSubmission['file'];
  readonly metadata: object;
}

async function upload({ http }: SecondaryRampApi, { accountId, file, metadata }: Upload, signal: AbortSignal) {
  const path = apiPath('customers', accountId, 'documents');
  const response = await http.call({ method: 'POST', path, content: multipartBody(file, metadata), signal });
  readResponse(identified, response);
}

const EXTENSIONS: Readonly<Record<EvidenceFile['mimeType'], string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'application/pdf': 'pdf',
};

/** A file and its metadata as `multipart/form-data` (RFC 7578), in the parts `file` and `metadata`. */
function multipartBody({ bytes, mimeType }: EvidenceFile, metadata: object): { type: string; bytes: Buffer } {
  const boundary = `----${randomBytes(16).toString('hex')}`;
  const before =
    `--${boundary}\r\ncontent-disposition: form-data; name="metadata"\r\n\r\n${JSON.stringify(metadata)}\r\n` +
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="document.${EXTENSIONS[mimeType]}"\r\n` +
    `content-type: ${mimeType}\r\n\r\n`;
  const parts = [Buffer.from(before), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)];
  return { type: `multipart/form-data; boundary=${boundary}`, bytes: Buffer.concat(parts) };
}
