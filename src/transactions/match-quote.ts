import { parseAddress } from '../chains/addresses';
import type { Chain } from '../chains/chain';
import { serviceError } from '../errors/service-error';
import { validationError, type ValidationIssue } from '../errors/validation';
import { canonicalHash } from '../persistence/canonical-hash';
import { readPixKey } from '../quotes/request/pix-key-check';
import type { StoredQuote } from '../quotes/find-quote';
import { outputProblem } from '../quotes/request/parse-output';
import type { Payout } from '../ramps/ramp-provider';
import type { BytecodeRequest } from './parse-bytecode-request';

/** Who executes a quote, and who receives. */
export interface SwapParties {
  readonly sender: string;
  /** A wallet; the rail when money is paid out of the chains. */
  readonly recipient: string;
  /** Where it is paid to then. Personal data. */
  readonly payout: Payout | undefined;
}

/** A request to execute a quote, and where the quote pays to if it tells. */
export interface Match {
  readonly request: BytecodeRequest;
  readonly rawQuote: unknown;
  readonly quotedPayout: Payout | undefined;
}

/**
 * Checks a request to execute against the quote that it names.
 *
 * @throws QUOTE_EXPIRED, PIX_THIRD_PARTY_QUOTE_MISMATCH, QUOTE_VALIDATION_ERROR, MISSING_PIX_KEY, INVALID_PIX_KEY,
 * INVALID_PIX_BRCODE_FORMAT; VALIDATION_ERROR for an address of another kind of chain and for an output that is not for the
 * origin
 */
export function matchQuote(quote: StoredQuote, match: Match): SwapParties {
  const { quoteId } = quote;
  const { request, rawQuote } = match;
  if (quote.expired) throw serviceError('QUOTE_EXPIRED');
  if (request.thirdParty !== quote.thirdParty) throw serviceError('PIX_THIRD_PARTY_QUOTE_MISMATCH', { quoteId });
  if (!isRawQuoteOf(quote, rawQuote)) throw mismatch(quoteId, 'rawQuote is not what the quote carried');
  const wallets = walletsOf(quote, request);
  const payout = payoutOf(quote, match);
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
  /** `undefined` when money is paid out of the chains. */
  readonly recipient: string | undefined;
}

function walletsOf(quote: StoredQuote, request: BytecodeRequest): Wallets {
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

/** A payment in fiat comes from no wallet: it is the recipient's, unless the quote or the request names another. */
function senderOf({ request: quoted }: StoredQuote, request: BytecodeRequest, recipient: string | undefined) {
  if (quoted.origin.kind !== 'fiat') return addressOn(quoted.origin, request.originAddress);
  return request.originAddress ?? quoted.originAddress ?? recipient;
}

/** A destination address beside it was not read: nothing is said of that. */
const pixKeyIssue = ({ request: { destination, tokenOut } }: StoredQuote): ValidationIssue => ({
  path: 'pixKey',
  message: `is only for BRL paid out on the chain fiat, not for ${tokenOut.symbol} on ${destination.slug}`,
});

const addressIssue = (
  path: 'originAddress' | 'destinationAddress',
  request: BytecodeRequest,
  { slug }: Chain,
): ValidationIssue => ({
  path,
  message: request[path] === undefined ? 'is required' : `is not an address of ${slug}`,
});

const paysBrl = ({ request: { destination, tokenOut } }: StoredQuote): boolean =>
  destination.kind === 'fiat' && tokenOut.address === 'BRL';

/** Where an off-ramp pays to: as the quote says, or of Pix as the request says. They may not differ. */
function payoutOf(quote: StoredQuote, { request, quotedPayout }: Match): Payout | undefined {
  if (quote.request.destination.kind !== 'fiat') return undefined;
  if (paysBrl(quote)) return pixPayout(quote, { request, quotedPayout });
  if (quotedPayout !== undefined) return quotedPayout;
  throw mismatch(quote.quoteId, 'it names no bank account: ask for a quote with the bank fields');
}

function pixPayout(quote: StoredQuote, { request, quotedPayout }: Pick<Match, 'request' | 'quotedPayout'>): Payout {
  const given = request.pixKey === undefined ? undefined : readPixKey(request.pixKey);
  const quoted = quotedPayout?.rail === 'PIX' ? quotedPayout.pixKey : undefined;
  if (given !== undefined && quoted !== undefined && given !== quoted) {
    throw mismatch(quote.quoteId, 'it was made for another pixKey');
  }
  const pixKey = given ?? quoted;
  if (pixKey === undefined) throw serviceError('MISSING_PIX_KEY');
  return { rail: 'PIX', pixKey, thirdParty: quote.thirdParty };
}

function outputProblemOf({ request: { origin }, feeSponsorship }: StoredQuote, { output }: BytecodeRequest) {
  // Only a user operation has a paymaster.
  const lacksPaymaster = feeSponsorship && output !== 'userOperation';
  return lacksPaymaster ? 'must be userOperation: the quote is sponsored' : outputProblem(origin, output);
}

/** Who pays in fiat names the wallet that the payment is for, of any kind. */
const addressOn = ({ kind }: Chain, address: string | undefined): string | undefined =>
  address === undefined || kind === 'fiat' ? address : parseAddress(kind, address);
