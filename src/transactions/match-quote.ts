import { parseAddress } from '../chains/addresses';
import type { Chain } from '../chains/chain';
import { serviceError } from '../errors/service-error';
import { validationError, type ValidationIssue } from '../errors/validation';
import { canonicalHash } from '../quotes/canonical-hash';
import type { StoredQuote } from '../quotes/find-quote';
import { outputProblem } from '../quotes/parse-output';
import { bytecodeHash } from './bytecode-hash';
import { otherRequest } from './claim-quote';
import type { BytecodeRequest } from './parse-bytecode-request';

/** Who executes a quote, and who receives. */
export interface SwapParties {
  readonly sender: string;
  readonly recipient: string;
}

/**
 * Checks a request to execute against the quote that it names.
 *
 * @throws QUOTE_EXPIRED, PIX_THIRD_PARTY_QUOTE_MISMATCH, QUOTE_VALIDATION_ERROR; VALIDATION_ERROR for an address of
 * another kind of chain and for an output that is not for the origin
 */
export function matchQuote(quote: StoredQuote, request: BytecodeRequest, rawQuote: unknown): SwapParties {
  const { quoteId } = quote;
  if (quote.expired) throw serviceError('QUOTE_EXPIRED');
  if (request.thirdParty !== quote.thirdParty) throw serviceError('PIX_THIRD_PARTY_QUOTE_MISMATCH', { quoteId });
  if (!isRawQuoteOf(quote, rawQuote)) throw mismatch(quoteId, 'rawQuote is not what the quote carried');
  const parties = partiesOf(quote, request);
  const { originAddress = parties.sender, destinationAddress = parties.recipient } = quote.request;
  if (parties.sender !== originAddress) throw mismatch(quoteId, 'it was made for another originAddress');
  if (parties.recipient !== destinationAddress) throw mismatch(quoteId, 'it was made for another destinationAddress');
  const bound = quote.bytecodeHash;
  if (bound !== undefined && !bytecodeHash(request).equals(bound)) throw otherRequest(quoteId);
  return parties;
}

const mismatch = (quoteId: string, reason: string) => serviceError('QUOTE_VALIDATION_ERROR', { quoteId, reason });

function isRawQuoteOf({ rawQuoteHash }: StoredQuote, rawQuote: unknown): boolean {
  if (rawQuote === undefined || rawQuote === null) return true;
  return rawQuoteHash !== undefined && canonicalHash(rawQuote)?.equals(rawQuoteHash) === true;
}

function partiesOf(quote: StoredQuote, request: BytecodeRequest): SwapParties {
  const { origin, destination } = quote.request;
  const sender = addressOn(origin, request.originAddress);
  const recipient = addressOn(destination, request.destinationAddress);
  const issues: ValidationIssue[] = [];
  if (sender === undefined) issues.push({ path: 'originAddress', message: `is not an address of ${origin.slug}` });
  if (request.pixKey !== undefined) {
    issues.push({ path: 'pixKey', message: `is only for BRL paid out on the chain fiat, not ${destination.slug}` });
  } else if (recipient === undefined) {
    issues.push({ path: 'destinationAddress', message: `is not an address of ${destination.slug}` });
  }
  const problem = outputProblemOf(quote, request);
  if (problem !== undefined) issues.push({ path: 'output', message: problem });
  if (sender === undefined || recipient === undefined || issues.length > 0) throw validationError(issues);
  return { sender, recipient };
}

function outputProblemOf({ request: { origin }, feeSponsorship }: StoredQuote, { output }: BytecodeRequest) {
  // Only a user operation has a paymaster.
  const lacksPaymaster = feeSponsorship && output !== 'userOperation';
  return lacksPaymaster ? 'must be userOperation: the quote is sponsored' : outputProblem(origin, output);
}

const addressOn = ({ kind }: Chain, address: string | undefined): string | undefined =>
  address === undefined ? undefined : parseAddress(kind, address);
