import { anySignal } from '../../../async/any-signal';
import { parseAddress } from '../../../chains/addresses';
import type { ChainKind } from '../../../chains/chain';
import { invariant } from '../../../errors/invariant-error';
import { isServiceError, serviceError } from '../../../errors/service-error';
import { UpstreamError } from '../../../http/upstream-error';
import { looksLikeBrCode, parseBrCode } from '../../br-code';
import type { PayoutDestination, Ticket, TicketRequest, TicketState } from '../../ramp-provider';
import { lookupFailureOf } from '../../unchecked-pix-key';
import { usdBeneficiaryId } from './beneficiary';
import { isRefused, PRIMARY, refusalText, ticketFailure, withoutBody } from './failures';
import { lookUpPixKey } from './look-up-pix-key';
import { requestFixedRate, type FixedRateQuote, type FixedRateRequest } from './quote';
import { isAwaitingTxHash, presentOf } from './pay-in';
import {
  requestAccountInfo,
  requestBalance,
  openRampTicket,
  type PrimaryRampApi,
  type AccountCall,
  ticketByExternalId,
} from './ramp-api';
import { refundSides, routeSides, type RampSides } from './route-sides';
import { created, readResponse, type ApiTicket } from './api-schemas';
import { FIAT_UNIT, fromApiAmount, readApiAmount, roundToApiPrecision, tokenUnit } from './api-amount';

/** Time after the expiry of the quote until a refused payout is given up and the deposit is refunded. */
const PAYOUT_TIMEOUT_MS = 600_000;
/** Short: other payouts of the account wait meanwhile, and the payout goes on without the lookup. */
const PIX_KEY_TIMEOUT_MS = 2000;
/** Minimum payout as a share of the quote, for requests without `minAmountOut`: the rate may change until the deposit. */
const MIN_PAYOUT_BPS = 9500n;
const BPS = 10_000n;

/**
 * Prepares a payout, without moving money. The deposit goes to the person's account on chain; `payoutState` opens the ramp's
 * ticket once it has arrived. The id of the ticket is the service's own.
 *
 * @throws as RampProvider.openTicket; PIX_BRCODE_EXPIRED, PIX_BRCODE_LOOKUP_FAILED, PIX_BRCODE_REQUOTE_REQUIRED
 */
export async function openPayout(api: PrimaryRampApi, request: TicketRequest, signal: AbortSignal): Promise<Ticket> {
  const { externalId, route, quote, account } = request;
  const call = { accountId: account.accountId, signal };
  const payout = payoutOf(request);
  try {
    const depositAddress = await requestDepositAddress(api, route.chain.kind, call);
    if (payout.rail === 'PIX') await assertPayable(api, { request, pixKey: payout.pixKey }, call);
    else await usdBeneficiaryId(api, payout.beneficiary, call);
    return { kind: 'payOut', ticketId: externalId, depositAddress, amount: quote.amountIn };
  } catch (error) {
    throw ticketFailure(error);
  }
}

/** The ramp's names of a person's wallets. */
const WALLETS: Readonly<Partial<Record<ChainKind, string>>> = { evm: 'EVM', solana: 'SOLANA' };

/** Address of a person's account, equal on every chain of a kind. @throws UpstreamError */
async function requestDepositAddress(api: PrimaryRampApi, kind: ChainKind, call: AccountCall): Promise<string> {
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

interface PixPayoutRequest {
  readonly request: TicketRequest;
  readonly pixKey: string;
}

/** A BR Code stands for one charge, which must still be open and have the amount of the payout. */
async function assertPayable(
  api: PrimaryRampApi,
  { request, pixKey }: PixPayoutRequest,
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

/** Pays out the whole deposit; for a charge, exactly its amount. */
function payoutQuote(api: PrimaryRampApi, request: TicketRequest): FixedRateRequest {
  const { route, quote, account } = request;
  const payout = payoutOf(request);
  const sides = routeSides(api.networks, route);
  const brCode = payout.rail === 'PIX' && looksLikeBrCode(payout.pixKey) ? payout.pixKey : undefined;
  const side = brCode === undefined ? 'in' : 'out';
  const amount = side === 'in' ? quote.amountIn : quote.amountOut;
  const thirdParty = payout.rail === 'PIX' && payout.thirdParty;
  return { sides, side, amount, accountId: account.accountId, thirdParty, brCode };
}

/**
 * Polls a payout and takes its next step. Each step is a ticket of the ramp under an id of its own, which is searched before
 * it is opened: `<id>` pays out, `<id>-refund` refunds the deposit when the payout failed or the deposit came too late.
 *
 * Polls must not overlap, because two of them could both find no ticket. A quote expires after fifteen seconds, so an
 * abandoned request has no effect later.
 *
 * @throws UpstreamError
 */
export async function payoutState(
  api: PrimaryRampApi,
  { request: requested, refundsLateDeposit }: { readonly request: TicketRequest; readonly refundsLateDeposit: boolean },
  signal: AbortSignal,
): Promise<TicketState> {
  const request = roundToRampPrecision(requested);
  const call = { accountId: request.account.accountId, signal };
  const payout = await ticketByExternalId(api, request.externalId, call);
  if (payout !== undefined) return stateOfPayout(api, { request, payout }, call);
  const reason = refundsLateDeposit ? TOO_LATE : PAYOUT_FAILED;
  const refund = await ticketByExternalId(api, refundId(request), call);
  if (refund !== undefined) return refundState(refund, { reason, now: api.now() });
  if (refundsLateDeposit) return refundDeposit(api, { request, reason }, call);
  const balance = await requestBalance(api, request.route.token.symbol, call);
  const received = readApiAmount(balance, tokenUnit(request.route.token.decimals));
  if (received < request.quote.amountIn) return { status: 'waitingForPayment' };
  return requestPayout(api, request, call);
}

/** Rounds the deposit down to the precision of the ramp. */
function roundToRampPrecision(request: TicketRequest): TicketRequest {
  const { route, quote } = request;
  const amountIn = roundToApiPrecision(quote.amountIn, tokenUnit(route.token.decimals), 'down');
  return { ...request, quote: { ...quote, amountIn } };
}

interface OpenedPayout {
  readonly request: TicketRequest;
  readonly payout: ApiTicket;
}

async function stateOfPayout(
  api: PrimaryRampApi,
  { request, payout }: OpenedPayout,
  call: AccountCall,
): Promise<TicketState> {
  if (payout.status === 'FAILED' || payout.status === 'CANCELED')
    return refundDeposit(api, { request, reason: PAYOUT_FAILED }, call);
  // A part was paid out: refunding the whole deposit would pay twice.
  if (payout.status === 'PARTIAL-FAILED') return { status: 'failed', reason: 'The ramp paid out only a part' };
  if (payout.status !== 'PAID') return { status: 'processing' };
  const endToEndId = presentOf(payout.brazilianFiatReceiverInfo?.endToEndId);
  const amountOut = fromApiAmount(payout.quote?.outputAmount ?? '', FIAT_UNIT);
  return { status: 'completed', txHash: undefined, endToEndId, amountOut };
}

/**
 * Requests the payout of a deposit, or its refund when it would be below the minimum. A payout whose Pix key does not exist, or that
 * the ramp refuses, is tried until its time is over: one wrong response must not end it.
 */
async function requestPayout(api: PrimaryRampApi, request: TicketRequest, call: AccountCall): Promise<TicketState> {
  try {
    await assertPixKey(api, request, call);
    const quote = await requestFixedRate(api, payoutQuote(api, request), call.signal);
    if (!isWithinTerms(request, quote)) return await refundDeposit(api, { request, reason: PAYOUT_FAILED }, call);
    const body = { quoteToken: quote.quoteToken, externalId: request.externalId };
    const block = await payoutBlock(api, payoutOf(request), call);
    readResponse(created, await openRampTicket(api, { ...body, ...block }, call));
    return { status: 'processing' };
  } catch (error) {
    const isTimedOut = api.now() > request.quote.expiresAt.getTime() + PAYOUT_TIMEOUT_MS;
    if (isRefused(error) && isTimedOut) return refundDeposit(api, { request, reason: PAYOUT_FAILED }, call);
    throw error;
  }
}

/**
 * Searches for the Pix key of a payout again: it may have been accepted without a lookup, or removed since. After a failed lookup the
 * ramp decides about the key when its ticket is opened. A key that was found is not searched for again.
 *
 * @throws the refusal of the ramp when it does not have the key
 */
async function assertPixKey(api: PrimaryRampApi, request: TicketRequest, call: AccountCall): Promise<void> {
  const payout = payoutOf(request);
  const key = payout.rail === 'PIX' ? keyOf(payout.pixKey) : undefined;
  if (key === undefined || api.checkedPayouts.has(request.externalId)) return;
  try {
    await lookUpPixKey(api, key, lookupSignal(api, call.signal));
    api.checkedPayouts.set(request.externalId, true);
  } catch (error) {
    if (isServiceError(error) && error.code === 'INVALID_PIX_KEY') throw error.cause as UpstreamError;
    if (call.signal.aborted) throw error;
    const failure = lookupFailureOf(error) ?? 'unavailable';
    api.onUncheckedPixKey?.({ ramp: PRIMARY, step: 'payout', failure });
  }
}

const lookupSignal = ({ pixKeyTimeoutMs = PIX_KEY_TIMEOUT_MS }: PrimaryRampApi, signal: AbortSignal): AbortSignal =>
  anySignal(signal, AbortSignal.timeout(pixKeyTimeoutMs));

function isWithinTerms({ quote: accepted, minAmountOut }: TicketRequest, quote: FixedRateQuote): boolean {
  const isEnough =
    minAmountOut === undefined
      ? quote.amountOut * BPS >= accepted.amountOut * MIN_PAYOUT_BPS
      : quote.amountOut >= minAmountOut;
  return isEnough && quote.amountIn <= accepted.amountIn;
}

async function payoutBlock(api: PrimaryRampApi, payout: PayoutDestination, call: AccountCall): Promise<object> {
  if (payout.rail === 'PIX') return { ticketBrlPixOutput: pixOutput(payout.pixKey) };
  const beneficiary = { beneficiaryUsdBankAccountId: await usdBeneficiaryId(api, payout.beneficiary, call) };
  return payout.rail === 'WIRE' ? { ticketUsdWireOutput: beneficiary } : { ticketUsdOutput: beneficiary };
}

/** The quote already contains the BR Code. */
function pixOutput(pixKey: string): object {
  const key = keyOf(pixKey);
  return key === undefined ? {} : { pixKey: key };
}

/** A dynamic BR Code has no key. */
const keyOf = (pixKey: string): string | undefined => (looksLikeBrCode(pixKey) ? parseBrCode(pixKey).pixKey : pixKey);

const refundId = ({ externalId }: TicketRequest): string => `${externalId}-refund`;

const PAYOUT_FAILED = 'The payout failed';
const TOO_LATE = 'It arrived after the action had expired';

interface FailedPayout {
  readonly request: TicketRequest;
  readonly reason: string;
}

/** Sends the deposit from the person's account to the recipient of refunds. The ramp returns a failed payout to that account. */
async function refundDeposit(
  api: PrimaryRampApi,
  { request, reason }: FailedPayout,
  call: AccountCall,
): Promise<TicketState> {
  const externalId = refundId(request);
  const found = await ticketByExternalId(api, externalId, call);
  if (found !== undefined) return refundState(found, { reason, now: api.now() });
  const { route, quote } = request;
  const walletAddress = request.refundAddress ?? request.walletAddress;
  const sides: RampSides = refundSides(api.networks, route);
  const balance = await requestBalance(api, route.token.symbol, call);
  if (readApiAmount(balance, sides.in.unit) >= quote.amountIn) {
    invariant(parseAddress(route.chain.kind, walletAddress), 'refunds go to a wallet on the chain of the token');
    const rate = { sides, side: 'in', amount: quote.amountIn, thirdParty: false } as const;
    const { quoteToken } = await requestFixedRate(api, { ...rate, accountId: call.accountId }, call.signal);
    const ticketBlockchainOutput = { walletChain: sides.out.method, walletAddress };
    readResponse(created, await openRampTicket(api, { quoteToken, externalId, ticketBlockchainOutput }, call));
  }
  return { status: 'refunding', reason };
}

interface RefundReason {
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

function refundState(ticket: ApiTicket, { reason, now }: RefundReason): TicketState {
  const { status } = ticket;
  if (status === 'FAILED' || status === 'PARTIAL-FAILED' || status === 'CANCELED') {
    return { status: 'failed', reason: `${reason}, and the refund of the token failed` };
  }
  if (status !== 'PAID' || isAwaitingTxHash(ticket, now)) return { status: 'refunding', reason };
  return { status: 'refunded', txHash: presentOf(ticket.blockchainReceiverInfo?.txHash), reason };
}
