import { parseAddress } from '../chains/addresses';
import type { Chain } from '../chains/chain';
import { serviceError } from '../errors/service-error';
import { validationError, type ValidationIssue } from '../errors/validation';
import { canonicalHash } from '../persistence/canonical-hash';
import { readPixKey } from '../quotes/request/pix-key-check';
import type { StoredQuote } from '../quotes/find-quote';
import { outputProblem } from '../quotes/request/parse-output';
import type { PayoutDestination } from '../ramps/ramp-provider';
import type { ExecutionRequest } from './parse-execution-request';

/** The sender and the recipient of a quote's execution. */
export interface SwapParties {
  readonly sender: string;
  /** A wallet; the rail for payouts in fiat. */
  readonly recipient: string;
  /** Account of a payout in fiat. Personal data. */
  readonly payout: PayoutDestination | undefined;
}

/** A request to execute a quote, and the payout stored with the quote. */
export interface QuoteMatchInput {
  readonly request: ExecutionRequest;
  readonly rawQuote: unknown;
  readonly quotedPayout: PayoutDestination | undefined;
}

/**
 * Checks a request to execute against the quote that it names. A repetition of the request that executed a quote may come
 * after the quote has expired.
 *
 * @throws QUOTE_EXPIRED, PIX_THIRD_PARTY_QUOTE_MISMATCH, QUOTE_VALIDATION_ERROR, MISSING_PIX_KEY, INVALID_PIX_KEY,
 * INVALID_PIX_BRCODE_FORMAT; VALIDATION_ERROR for an address of another kind of chain and for an output that the origin
 * chain does not support
 */
export function matchQuote(quote: StoredQuote, input: QuoteMatchInput): SwapParties {
  const { quoteId } = quote;
  const { request, rawQuote } = input;
  if (quote.expired && quote.bytecodeHash === undefined) throw serviceError('QUOTE_EXPIRED');
  if (request.thirdParty !== quote.thirdParty) throw serviceError('PIX_THIRD_PARTY_QUOTE_MISMATCH', { quoteId });
  if (!isRawQuoteOf(quote, rawQuote)) throw mismatch(quoteId, 'rawQuote differs from the rawQuote of the quote');
  const wallets = walletsOf(quote, request);
  const payout = requestedPayout(quote, input);
  assertSameWallets(quote, wallets);
  return { sender: wallets.sender, recipient: wallets.recipient ?? payout?.rail.toLowerCase() ?? '', payout };
}

function assertSameWallets({ quoteId, request }: StoredQuote, { sender, recipient }: Wallets): void {
  const { originAddress = sender, destinationAddress = recipient } = request;
  if (sender !== originAddress) throw mismatch(quoteId, 'it was made for another originAddress');
  if (recipient !== destinationAddress) throw mismatch(quoteId, 'it was made for another destinationAddress');
}

const mismatch = (quoteId: string, reason: string) => serviceError('QUOTE_VALIDATION_ERROR', { quoteId, reason });

function isRawQuoteOf({ rawQuoteHash }: StoredQuote, rawQuote: unknown): boolean {
  if (rawQuote === undefined || rawQuote === null) return true;
  return rawQuoteHash !== undefined && canonicalHash(rawQuote)?.equals(rawQuoteHash) === true;
}

interface Wallets {
  readonly sender: string;
  /** `undefined` for payouts in fiat. */
  readonly recipient: string | undefined;
}

function walletsOf(quote: StoredQuote, request: ExecutionRequest): Wallets {
  const { origin, destination } = quote.request;
  const paysOut = destination.kind === 'fiat';
  const recipient = paysOut ? undefined : addressOn(destination, request.destinationAddress);
  const sender = senderOf(quote, request, recipient);
  const issues: ValidationIssue[] = [];
  if (sender === undefined) issues.push(addressIssue('originAddress', request, origin));
  if (request.pixKey !== undefined && !paysBrl(quote)) issues.push(pixKeyIssue(quote));
  else if (!paysOut && recipient === undefined) issues.push(addressIssue('destinationAddress', request, destination));
  const problem = outputProblemOf(quote, request);
  if (problem !== undefined) issues.push({ path: 'output', message: problem });
  if (sender === undefined || issues.length > 0) throw validationError(issues);
  return { sender, recipient };
}

/** A fiat payment has no sending wallet: the recipient stands for it unless the quote or the request names another. */
function senderOf({ request: quoted }: StoredQuote, request: ExecutionRequest, recipient: string | undefined) {
  if (quoted.origin.kind !== 'fiat') return addressOn(quoted.origin, request.originAddress);
  return request.originAddress ?? quoted.originAddress ?? recipient;
}

/** A destination address next to a Pix key is not parsed, so it is not reported. */
const pixKeyIssue = ({ request: { destination, tokenOut } }: StoredQuote): ValidationIssue => ({
  path: 'pixKey',
  message: `is only for payouts of BRL on the chain fiat, not for ${tokenOut.symbol} on ${destination.slug}`,
});

const addressIssue = (
  path: 'originAddress' | 'destinationAddress',
  request: ExecutionRequest,
  { slug }: Chain,
): ValidationIssue => ({
  path,
  message: request[path] === undefined ? 'is required' : `is not an address of ${slug}`,
});

const paysBrl = ({ request: { destination, tokenOut } }: StoredQuote): boolean =>
  destination.kind === 'fiat' && tokenOut.address === 'BRL';

/** The account of a payout. For Pix the request may name it; it must equal the quote's if both do. */
function requestedPayout(
  quote: StoredQuote,
  { request, quotedPayout }: QuoteMatchInput,
): PayoutDestination | undefined {
  if (quote.request.destination.kind !== 'fiat') return undefined;
  if (paysBrl(quote)) return pixPayout(quote, { request, quotedPayout });
  if (quotedPayout !== undefined) return quotedPayout;
  throw mismatch(quote.quoteId, 'it names no bank account: request a new quote with the bank fields');
}

function pixPayout(
  quote: StoredQuote,
  { request, quotedPayout }: Pick<QuoteMatchInput, 'request' | 'quotedPayout'>,
): PayoutDestination {
  const requested = request.pixKey === undefined ? undefined : readPixKey(request.pixKey);
  const quoted = quotedPayout?.rail === 'PIX' ? quotedPayout.pixKey : undefined;
  if (requested !== undefined && quoted !== undefined && requested !== quoted) {
    throw mismatch(quote.quoteId, 'it was made for another pixKey');
  }
  const pixKey = requested ?? quoted;
  if (pixKey === undefined) throw serviceError('MISSING_PIX_KEY');
  return { rail: 'PIX', pixKey, thirdParty: quote.thirdParty };
}

function outputProblemOf({ request: { origin }, feeSponsorship }: StoredQuote, { output }: ExecutionRequest) {
  // A paymaster pays only for user operations.
  const lacksPaymaster = feeSponsorship && output !== 'userOperation';
  return lacksPaymaster ? 'must be userOperation, because the quote is sponsored' : outputProblem(origin, output);
}

/** A fiat payment may name a wallet on a chain of any kind. */
const addressOn = ({ kind }: Chain, address: string | undefined): string | undefined =>
  address === undefined || kind === 'fiat' ? address : parseAddress(kind, address);
