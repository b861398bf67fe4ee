import { z } from 'zod';
import { serviceError } from '../errors/service-error';
import { validationError } from '../errors/validation';
import { resolveRamp } from './customer-rules';
import { loadEvidence } from './evidence/load-evidence';
import { country, file, oneOf, optional, readInput } from './evidence/read-input';
import type { IdentityDeps } from './identity-deps';
import { findProfile } from './profile';
import { type KycStatus, loadKycStatus } from './kyc-status';
import type { KycSubmission } from './submit-evidence';
import { assertOpenAtSecondary } from './submit-to-secondary';
import { pollPendingAccount } from './poll-verification';
import { markVerificationStale } from './stale-verifications';

const FORMATS = ['image/jpeg', 'image/png', 'application/pdf'] as const;
const TWO_SIDED: ReadonlySet<string> = new Set(['NATIONAL_ID', 'DRIVER_LICENSE']);

const submission = z.object({
  documentType: oneOf(['NATIONAL_ID', 'DRIVER_LICENSE', 'PASSPORT', 'PROOF_OF_ADDRESS']),
  documentSide: optional(oneOf(['FRONT', 'BACK'])),
  country: optional(country),
  file,
});

type ParsedDocument = z.output<typeof submission>;

/**
 * Submits one document to a ramp that accepts single documents. Nothing happens for a person who is approved.
 *
 * @throws KYC_PROFILE_NOT_FOUND, INVALID_RAMP_PROVIDER, RAMP_PROVIDER_NOT_ELIGIBLE, VALIDATION_ERROR, DOCUMENT_BACK_NOT_ALLOWED,
 * the codes of `loadEvidence`, SECONDARY_RAMP_NOT_CONFIGURED, SECONDARY_RAMP_KYC_NOT_PROVISIONED, _IN_PROGRESS, _REJECTED,
 * and the codes of the ramp
 */
export async function submitDocument(
  deps: IdentityDeps,
  request: KycSubmission,
  signal: AbortSignal,
): Promise<KycStatus> {
  const profile = await findProfile(deps, request);
  const { ramp, name } = await resolveRamp(deps, request);
  const provider = deps.ramps[ramp];
  if (provider.submitDocument === undefined) {
    const reason = 'it takes documents with the submission of the evidence';
    throw serviceError('RAMP_PROVIDER_NOT_ELIGIBLE', { provider: name, reason });
  }
  const parsed = readDocument(request.fields);
  const { base64, url } = parsed.file;
  const [document] = await loadEvidence(deps.evidence, [{ field: 'file', base64, url }], { formats: FORMATS, signal });
  deps.rampProviders[ramp].assertConfigured?.();
  const row = await pollPendingAccount(deps, { key: profile, ramp }, signal);
  if (row?.status !== 'approved') assertOpenAtSecondary(row);
  if (row === undefined || row.accountId === null) throw serviceError('SECONDARY_RAMP_KYC_NOT_PROVISIONED');
  if (row.status !== 'approved' && document !== undefined) {
    const { documentType, documentSide: side, country: from } = parsed;
    const account = { accountId: row.accountId, kycUserId: profile.kycUserId };
    await provider.submitDocument({ account, documentType, side, country: from, file: document }, signal);
    await markVerificationStale(deps.database, profile, ramp);
  }
  return loadKycStatus(deps, request);
}

/** Parses a document. @throws VALIDATION_ERROR with every invalid field; DOCUMENT_BACK_NOT_ALLOWED */
export function readDocument(fields: unknown): ParsedDocument {
  const given = readInput(submission, fields);
  assertSide(given);
  return given;
}

/** Two-sided documents are submitted one side at a time; other documents have no sides. */
function assertSide({ documentType, documentSide }: ParsedDocument): void {
  const hasSides = TWO_SIDED.has(documentType);
  if (hasSides && documentSide === undefined) {
    throw validationError([{ path: 'documentSide', message: `is required for ${documentType}` }]);
  }
  if (!hasSides && documentSide === 'BACK') throw serviceError('DOCUMENT_BACK_NOT_ALLOWED', { documentType });
}
