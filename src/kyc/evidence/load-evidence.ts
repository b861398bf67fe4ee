import { serviceError, type ServiceError } from '../../errors/service-error';
import { anySignal } from '../../async/any-signal';
import { type GuardedFailure, type GuardedFetch, GuardedFetchError, isAllowedUrl } from '../../http/guarded-fetch';
import type { EvidenceFile } from '../../ramps/kyc-provider';
import { type EvidenceFormat, detectFormat, isIntact } from './file-format';
import { signedUrlExpiry } from './signed-url';

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_BASE64_CHARACTERS = Math.ceil(MAX_BYTES / 3) * 4;
/** With white space, which bounds the work for a text of little else. Lines of 64 characters or more need less. */
const MAX_TEXT_LENGTH = MAX_BASE64_CHARACTERS * 1.25;
const FETCH_BUDGET_MS = 8000;

export interface EvidenceDeps {
  readonly fetch: Pick<GuardedFetch, 'fetch'>;
  /** Hosts that URLs of evidence may name; the same as in `fetch`. */
  readonly hosts: readonly string[];
  readonly allowLoopback: boolean;
}

/** A file in a request: exactly one of `base64` and `url`. */
export interface FileInput {
  /** Path of the file in the request: `documents.front`. */
  readonly field: string;
  readonly base64: string | undefined;
  readonly url: string | undefined;
}

export interface EvidenceRules {
  readonly formats: readonly EvidenceFormat[];
  readonly signal: AbortSignal;
}

/**
 * Loads the bytes of files, in their order. Fetching takes at most 8 seconds for all of them, and starts only when every
 * file in base64 is valid.
 *
 * @throws INVALID_EVIDENCE_IMAGE, UNSUPPORTED_EVIDENCE_IMAGE_FORMAT, EVIDENCE_URL_*
 */
export async function loadEvidence(
  deps: EvidenceDeps,
  files: readonly FileInput[],
  { formats, signal }: EvidenceRules,
): Promise<readonly EvidenceFile[]> {
  const decoded = files.map((file) => {
    if (file.url === undefined) return assertFormat(file, decode(file), formats);
    assertUsableUrl(deps, file, file.url);
    return undefined;
  });
  const done = new AbortController();
  const budget = anySignal(signal, done.signal, AbortSignal.timeout(FETCH_BUDGET_MS));
  try {
    return await Promise.all(
      files.map(
        async (file, index) => decoded[index] ?? assertFormat(file, await fetchFile(deps, file, budget), formats),
      ),
    );
  } finally {
    done.abort();
  }
}

function decode({ field, base64 = '' }: FileInput): Buffer {
  const bytes = base64.length > MAX_TEXT_LENGTH ? Buffer.alloc(0) : Buffer.from(base64, 'base64');
  const isValid = bytes.length > 0 && bytes.length <= MAX_BYTES && isBase64Of(base64, bytes);
  if (!isValid) throw serviceError('INVALID_EVIDENCE_IMAGE', { field });
  return bytes;
}

/** Tab, line feed, form feed, carriage return and space. */
const WHITE_SPACE: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x20]);

/**
 * Node skips invalid characters: valid base64 encodes to the same text again, apart from white space and padding. Compared
 * one by one, because a regular expression takes seconds for a text with white space after every character.
 */
function isBase64Of(text: string, bytes: Buffer): boolean {
  const encoded = bytes.toString('base64');
  if (text === encoded) return true;
  let at = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === encoded.charCodeAt(at)) at += 1;
    else if (!WHITE_SPACE.has(character)) return false;
  }
  return at === encoded.length || at === encoded.replace(/=+$/, '').length;
}

function assertFormat({ field }: FileInput, bytes: Buffer, formats: readonly EvidenceFormat[]): EvidenceFile {
  const mimeType = detectFormat(bytes);
  if (mimeType === undefined || !formats.includes(mimeType)) {
    throw serviceError('UNSUPPORTED_EVIDENCE_IMAGE_FORMAT', { field });
  }
  if (!isIntact(bytes, mimeType)) throw serviceError('INVALID_EVIDENCE_IMAGE', { field });
  return { bytes, mimeType };
}

function assertUsableUrl(deps: EvidenceDeps, { field }: FileInput, url: string): void {
  if (!isAllowedUrl(url, deps)) throw serviceError('EVIDENCE_URL_NOT_ALLOWED', { field });
  const expiry = signedUrlExpiry(url);
  if (expiry !== undefined && expiry.getTime() <= Date.now()) throw serviceError('EVIDENCE_URL_EXPIRED', { field });
}

async function fetchFile(
  { fetch }: EvidenceDeps,
  { field, url = '' }: FileInput,
  signal: AbortSignal,
): Promise<Buffer> {
  try {
    return await fetch.fetch({ url, maxBytes: MAX_BYTES, signal });
  } catch (error) {
    if (error instanceof GuardedFetchError) throw errorForReason(error.reason, field);
    throw error;
  }
}

function errorForReason(reason: GuardedFailure, field: string): ServiceError {
  switch (reason.failure) {
    case 'notAllowed':
      return serviceError('EVIDENCE_URL_NOT_ALLOWED', { field });
    case 'timeout':
      return serviceError('EVIDENCE_URL_TIMEOUT');
    case 'tooLarge':
      return serviceError('INVALID_EVIDENCE_IMAGE', { field });
    case 'unreachable':
      return serviceError('EVIDENCE_URL_UNREACHABLE', { field });
    case 'status':
      return errorForStatus(reason.status, field);
  }
}

function errorForStatus(status: number, field: string): ServiceError {
  if (status === 403) return serviceError('EVIDENCE_URL_FORBIDDEN', { field });
  if (status === 404) return serviceError('EVIDENCE_URL_NOT_FOUND', { field });
  return serviceError('EVIDENCE_URL_UNREACHABLE', { field });
}
