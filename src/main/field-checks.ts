import type { FieldCheck } from '../../gateway/rest/coercion/compile-coercer';
import type { Config } from '../config/config';
import { isServiceError } from '../errors/service-error';
import type { ValidationIssue } from '../errors/validation';
import type { RawFields } from '../quotes/field-reader';
import { parseQuoteRequest } from '../quotes/parse-quote-request';
import { parseBytecodeRequest } from '../transactions/parse-bytecode-request';

/** The domain's own checks of the arguments of routes, for callers who are refused already: they learn everything at once. */
export function fieldChecks({
  chains: { table: chains },
  ALLOW_LOOPBACK_URLS: allowLoopback,
}: Pick<Config, 'chains' | 'ALLOW_LOOPBACK_URLS'>): Readonly<Record<string, FieldCheck>> {
  const webhookUrls = { allowLoopback };
  return {
    'Query.swapQuote': (fields) => issuesOf(() => parseQuoteRequest({ chains, webhookUrls }, fields as RawFields)),
    'Mutation.createSwapTransaction': (fields) =>
      issuesOf(() => parseBytecodeRequest(fields as RawFields, webhookUrls)),
  };
}

function issuesOf(parse: () => unknown): readonly ValidationIssue[] {
  try {
    parse();
    return [];
  } catch (error) {
    if (!isServiceError(error)) throw error;
    // Codes of their own are for requests that are well-formed.
    return error.code === 'VALIDATION_ERROR' ? (error.details?.['errors'] as readonly ValidationIssue[]) : [];
  }
}
