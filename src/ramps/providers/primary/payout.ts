import { parseAddress } from '../../../chains/addresses';
import type { ChainKind } from '../../../chains/chain';
import { invariant } from '../../../errors/invariant-error';
import { isServiceError, serviceError } from '../../../errors/service-error';
import { UpstreamError } from '../../../http/upstream-error';
import { looksLikeBrCode, parseBrCode } from '../../br-code';
import type { PayoutDestination, Ticket, TicketRequest, TicketState } from '../../ramp-provider';
import { usdBeneficiaryId } from './beneficiary';
import { isRefused, refusalText, ticketFailure, withoutBody } from './failures';
import { requestFixedRate, type FixedRateQuote, type FixedRateRequest } from './quote';
import { isBeingFilled, presentOf } from './pay-in';
import {
  requestAccountInfo,
  requestBalance,
  openRampTicket,
  type PrimaryRampApi,
  type AccountCall,
  ticketByExternalId,
} from './ramp-api';
import { refundLegs, routeLegs, type Legs } from './ramp-legs';
import { created, readResponse, type WireTicket } from './wire';
import { FIAT_UNIT, fromWireAmount, readWireAmount, roundToWire, tokenUnit } from './wire-amount';

/** A payout that is refused for so long after its quote is given up: the token goes back. */
const PATIENCE_MS = 600_000;
/** What of the expected amount is paid out at least, where the ticket does not tell: the rate may move until the token is there. */
const LEAST_OF_PROMISE_BPS = 9500n;
const BPS = 10_000n;

/**
 * Asks for a payout: nothing moves yet. The token is to be sent to the person's account on chain; `payoutState` opens the
 * payout when it has arrived. The ticket's id is ours.
 *
 * @throws as RampProvider.openTicket; PIX_BRCODE_EXPIRED, PIX_BRCODE_LOOKUP_FAILED, PIX_BRCODE_REQUOTE_REQUIRED
 */
export async function openPayout(api: PrimaryRampApi, request: TicketRequest, signal: AbortSignal): Promise<Ticket> {
  const { externalId, route, quote, account } = request;
  const call = { accountId: account.accountId, signal };
  const payout = payoutOf(request);
  try {
    const depositAddress = await walletOn(api, route.chain.kind, call);
    if (payout.rail === 'PIX') await assertPayable(api, { request, pixKey: payout.pixKey }, call);
    else await usdBeneficiaryId(api, payout.beneficiary, call);
    return { kind: 'payOut', ticketId: externalId, depositAddress, amount: quote.amountIn };
  } catch (error) {
    throw ticketFailure(route, error);
  }
}

/** What the ramp calls the wallets that a person has with it. */
const WALLETS: Readonly<Partial<Record<ChainKind, string>>> = { evm: 'EVM', solana: 'SOLANA' };

/** Address of a person's account on every chain of a kind. @throws UpstreamError */
async function walletOn(api: PrimaryRampApi, kind: ChainKind, call: AccountCall): Promise<string> {
  const { wallets } = await requestAccountInfo(api, call);
  const wallet = wallets.find(({ chain }) => chain === WALLETS[kind]);
  const address = wallet === undefined ? undefined : parseAddress(kind, wallet.walletAddress);
  if (address === undefined) throw new UpstreamError('the account has no wallet', { kind: 'unreadable' });
  return address;
}

function payoutOf({ payout }: TicketRequest): PayoutDestination {
  if (payout === undefined) throw serviceError('MISSING_PIX_KEY');
  return payout;
}

interface PixPayout {
  readonly request: TicketRequest;
  readonly pixKey: string;
}

/** A BR Code is one charge: it must still be open, and ask for what is paid. */
async function assertPayable(
  api: PrimaryRampApi,
  { request, pixKey }: PixPayout,
  { signal }: AccountCall,
): Promise<void> {
  if (!looksLikeBrCode(pixKey)) return;
  const { amount } = parseBrCode(pixKey);
  if (amount !== undefined && amount !== request.quote.amountOut) throw serviceError('PIX_BRCODE_REQUOTE_REQUIRED');
  try {
    await requestFixedRate(api, payoutQuote(api, request), signal);
  } catch (error) {
    if (isServiceError(error)) throw error;
    const cause = withoutBody(error);
    if (isRefused(error) && refusalText(error).includes('expir'))
      throw serviceError('PIX_BRCODE_EXPIRED', {}, { cause });
    throw serviceError('PIX_BRCODE_LOOKUP_FAILED', {}, { cause });
  }
}

/** All that was sent is paid out; of a charge, exactly what it asks for. */
function payoutQuote(api: PrimaryRampApi, request: TicketRequest): FixedRateRequest {
  const { route, quote, account } = request;
  const payout = payoutOf(request);
  const legs = routeLegs(api.networks, route);
  const brCode = payout.rail === 'PIX' && looksLikeBrCode(payout.pixKey) ? payout.pixKey : undefined;
  const side = brCode === undefined ? 'in' : 'out';
  const amount = side === 'in' ? quote.amountIn : quote.amountOut;
  const thirdParty = payout.rail === 'PIX' && payout.thirdParty;
  return { legs, side, amount, accountId: account.accountId, thirdParty, brCode };
}

/**
 * How far a payout is, and the next step of it. Each step is a ticket of the ramp under an id of its own, looked for
 * before it is opened: `<id>` pays out, `<id>-refund` sends the token back when that failed, or came too late.
 *
 * One look at a time: two at once could both find nothing. A quote dies after fifteen seconds, so that a request that
 * nobody waits for any more cannot be heard late.
 *
 * @throws UpstreamError
 */
export async function payoutState(
  api: PrimaryRampApi,
  { request: given, refundsLateDeposit }: { readonly request: TicketRequest; readonly refundsLateDeposit: boolean },
  signal: AbortSignal,
): Promise<TicketState> {
  const request = tellable(given);
  const call = { accountId: request.account.accountId, signal };
  const payout = await ticketByExternalId(api, request.externalId, call);
  if (payout !== undefined) return openedPayout(api, { request, payout }, call);
  const reason = refundsLateDeposit ? TOO_LATE : PAYOUT_FAILED;
  const refund = await ticketByExternalId(api, refundId(request), call);
  if (refund !== undefined) return refundState(refund, { reason, now: api.now() });
  if (refundsLateDeposit) return sendBack(api, { request, reason }, call);
  const held = await requestBalance(api, request.route.token.symbol, call);
  const arrived = readWireAmount(held, tokenUnit(request.route.token.decimals));
  if (arrived < request.quote.amountIn) return { status: 'waitingForPayment' };
  return payOut(api, request, call);
}

/** What has arrived may be finer than the ramp can tell apart. */
function tellable(request: TicketRequest): TicketRequest {
  const { route, quote } = request;
  const amountIn = roundToWire(quote.amountIn, tokenUnit(route.token.decimals), 'down');
  return { ...request, quote: { ...quote, amountIn } };
}

interface OpenedPayout {
  readonly request: TicketRequest;
  readonly payout: WireTicket;
}

async function openedPayout(
  api: PrimaryRampApi,
  { request, payout }: OpenedPayout,
  call: AccountCall,
): Promise<TicketState> {
  if (payout.status === 'FAILED' || payout.status === 'CANCELED')
    return sendBack(api, { request, reason: PAYOUT_FAILED }, call);
  // Some of it was paid: sending all back would pay twice.
  if (payout.status === 'PARTIAL-FAILED') return { status: 'failed', reason: 'The ramp paid out only a part' };
  if (payout.status !== 'PAID') return { status: 'processing' };
  const endToEndId = presentOf(payout.brazilianFiatReceiverInfo?.endToEndId);
  const amountOut = fromWireAmount(payout.quote?.outputAmount ?? '', FIAT_UNIT);
  return { status: 'completed', txHash: undefined, endToEndId, amountOut };
}

/** The token has arrived: pays it out, or sends it back where the promise cannot be kept any more. */
async function payOut(api: PrimaryRampApi, request: TicketRequest, call: AccountCall): Promise<TicketState> {
  try {
    const quote = await requestFixedRate(api, payoutQuote(api, request), call.signal);
    if (!isKept(request, quote)) return await sendBack(api, { request, reason: PAYOUT_FAILED }, call);
    const body = { quoteToken: quote.quoteToken, externalId: request.externalId };
    const block = await payoutBlock(api, payoutOf(request), call);
    readResponse(created, await openRampTicket(api, { ...body, ...block }, call));
    return { status: 'processing' };
  } catch (error) {
    const givenUp = api.now() > request.quote.expiresAt.getTime() + PATIENCE_MS;
    if (isRefused(error) && givenUp) return sendBack(api, { request, reason: PAYOUT_FAILED }, call);
    throw error;
  }
}

function isKept({ quote: promised, minAmountOut: least }: TicketRequest, quote: FixedRateQuote): boolean {
  const enough =
    least === undefined ? quote.amountOut * BPS >= promised.amountOut * LEAST_OF_PROMISE_BPS : quote.amountOut >= least;
  return enough && quote.amountIn <= promised.amountIn;
}

async function payoutBlock(api: PrimaryRampApi, payout: PayoutDestination, call: AccountCall): Promise<object> {
  if (payout.rail === 'PIX') return { ticketBrlPixOutput: pixOutput(payout.pixKey) };
  const beneficiary = { beneficiaryUsdBankAccountId: await usdBeneficiaryId(api, payout.beneficiary, call) };
  return payout.rail === 'WIRE' ? { ticketUsdWireOutput: beneficiary } : { ticketUsdOutput: beneficiary };
}

/** The quote knows the BR Code already; a dynamic one names no key. */
function pixOutput(pixKey: string): object {
  if (!looksLikeBrCode(pixKey)) return { pixKey };
  const { pixKey: key } = parseBrCode(pixKey);
  return key === undefined ? {} : { pixKey: key };
}

const refundId = ({ externalId }: TicketRequest): string => `${externalId}-refund`;

const PAYOUT_FAILED = 'The payout failed';
const TOO_LATE = 'It arrived after the action had expired';

interface SendingBack {
  readonly request: TicketRequest;
  readonly reason: string;
}

/** The ramp puts a failed payout back into the person's account: from there it goes to where refunds go. */
async function sendBack(
  api: PrimaryRampApi,
  { request, reason }: SendingBack,
  call: AccountCall,
): Promise<TicketState> {
  const externalId = refundId(request);
  const found = await ticketByExternalId(api, externalId, call);
  if (found !== undefined) return refundState(found, { reason, now: api.now() });
  const { route, quote } = request;
  const walletAddress = request.refundAddress ?? request.walletAddress;
  const legs: Legs = refundLegs(api.networks, route);
  const held = await requestBalance(api, route.token.symbol, call);
  if (readWireAmount(held, legs.in.unit) >= quote.amountIn) {
    invariant(parseAddress(route.chain.kind, walletAddress), 'refunds go to a wallet on the chain of the token');
    const asked = { legs, side: 'in', amount: quote.amountIn, thirdParty: false } as const;
    const { quoteToken } = await requestFixedRate(api, { ...asked, accountId: call.accountId }, call.signal);
    const ticketBlockchainOutput = { walletChain: legs.out.method, walletAddress };
    readResponse(created, await openRampTicket(api, { quoteToken, externalId, ticketBlockchainOutput }, call));
  }
  return { status: 'refunding', reason };
}

interface Ending {
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

function refundState(ticket: WireTicket, { reason, now }: Ending): TicketState {
  const { status } = ticket;
  if (status === 'FAILED' || status === 'PARTIAL-FAILED' || status === 'CANCELED') {
    return { status: 'failed', reason: `${reason}, and the refund of the token failed` };
  }
  if (status !== 'PAID' || isBeingFilled(ticket, now)) return { status: 'refunding', reason };
  return { status: 'refunded', txHash: presentOf(ticket.blockchainReceiverInfo?.txHash), reason };
}
