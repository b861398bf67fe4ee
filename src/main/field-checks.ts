import type { FieldCheck } from '../../gateway/rest/coercion/compile-coercer';
import type { Config } from '../config/config';
import { isServiceError } from '../errors/service-error';
import type { ValidationIssue } from '../errors/validation';
import { readBankFields } from '../kyc/bank-fields';
import { readPrimarySubmission } from '../kyc/evidence/primary-submission';
import { readSession } from '../kyc/open-session';
import { readDocument } from '../kyc/submit-document';
import { readSecondarySubmission } from '../kyc/submit-to-secondary';
import type { RawFields } from '../errors/field-reader';
import { parseQuoteRequest } from '../quotes/request/parse-quote-request';
import { rampByName } from '../ramps/ramp-names';
import { parseExecutionRequest } from '../transactions/parse-execution-request';
import { rampBrands } from './identity-deps';

type Fields = Parameters<FieldCheck>[0];

/** The domain's checks of route arguments, for invalid requests: the response lists all problems at once. */
export function fieldChecks(config: Config): Readonly<Record<string, FieldCheck>> {
  const {
    chains: { table: chains },
    ALLOW_LOOPBACK_URLS: allowLoopback,
  } = config;
  const webhookUrls = { allowLoopback };
  const brands = rampBrands(config);
  const isForSecondary = ({ rampProvider }: Fields): boolean =>
    typeof rampProvider === 'string' && rampByName(brands, rampProvider).ramp === 'secondary';
  return {
    'Query.swapQuote': (fields) => issuesOf(() => parseQuoteRequest({ chains, webhookUrls }, fields as RawFields)),
    'Mutation.createSwapTransaction': (fields) =>
      issuesOf(() => parseExecutionRequest(fields as RawFields, webhookUrls)),
    'Mutation.createKycSession': (fields) => issuesOf(() => readSession(fields)),
    'Mutation.submitKycEvidence': (fields) =>
      issuesOf(() => (isForSecondary(fields) ? readSecondarySubmission(fields) : readPrimarySubmission(fields))),
    'Mutation.submitKycDocument': (fields) => issuesOf(() => readDocument(fields)),
    'Mutation.unlockKycCurrency': (fields) =>
      issuesOf(() => readBankFields(fields, { required: isForSecondary(fields) })),
  };
}

function issuesOf(parse: () => unknown): readonly ValidationIssue[] {
  try {
    parse();
    return [];
  } catch (error) {
    if (!isServiceError(error)) throw error;
    // Other codes apply only to well-formed requests.
    return error.code === 'VALIDATION_ERROR' ? (error.details?.['errors'] as readonly ValidationIssue[]) : [];
  }
}
