import type { z } from 'zod';
import { isNativeToken, ZERO_ADDRESS } from '../../../chains/addresses';
import { serviceError, type ServiceError } from '../../../errors/service-error';
import type { HttpClient } from '../../../http/http-client';
import { providerUnavailable, UpstreamError } from '../../../http/upstream-error';
import { amountInTooHigh, amountInTooLow } from '../../amount-bounds';
import type { QuoteRequest } from '../../quote-provider';
import { relayQuoteResponse, type RelayQuote, relayErrorResponse } from './api-schemas';

export const RELAY = 'relay';
/** Relay's ids of Bitcoin and its coin. */
const BITCOIN = { chainId: 8_253_038, currency: 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8' };

export interface RelayQuoteParameters {
  readonly request: QuoteRequest;
  readonly recipient: string;
  /** Bitcoin address of the refund. */
  readonly refundTo: string | undefined;
  /** True to open a deposit address, false for a price only. */
  readonly open: boolean;
}

/**
 * `undefined` when the error is not about the request.
 *
 * @throws PROVIDER_UNAVAILABLE, AMOUNT_IN_TOO_LOW, AMOUNT_IN_TOO_HIGH
 */
export async function fetchRelayQuote(
  http: Pick<HttpClient, 'post'>,
  swapParameters: RelayQuoteParameters,
  signal: AbortSignal,
): Promise<RelayQuote | undefined> {
  try {
    return parseResponse(relayQuoteResponse, await http.post('/quote/v2', bodyOf(swapParameters), signal));
  } catch (error) {
    const apiError = parseApiError(swapParameters.request, error);
    if (apiError === 'noRoute') return undefined;
    throw apiError ?? providerUnavailable(RELAY, error);
  }
}

function bodyOf({ request, recipient, refundTo, open }: RelayQuoteParameters): Record<string, unknown> {
  const { destination, tokenOut, amount, slippage } = request;
  return {
    user: recipient,
    recipient,
    tradeType: 'EXACT_INPUT',
    amount: amount.toString(),
    originChainId: BITCOIN.chainId,
    originCurrency: BITCOIN.currency,
    destinationChainId: destination.chainId,
    destinationCurrency: isNativeToken(tokenOut.address) ? ZERO_ADDRESS : tokenOut.address,
    slippageTolerance: (slippage / 100n).toString(),
    useDepositAddress: open,
    ...(refundTo === undefined ? {} : { refundTo }),
  };
}

const NO_ROUTE: ReadonlySet<string> = new Set([
  'NO_SWAP_ROUTES_FOUND',
  'UNSUPPORTED_ROUTE',
  'UNSUPPORTED_CHAIN',
  'UNSUPPORTED_CURRENCY',
  'NO_QUOTES',
]);
const TOO_LOW: ReadonlySet<string> = new Set(['AMOUNT_TOO_LOW', 'DEPOSIT_AMOUNT_TOO_LOW']);

/** `undefined` when the relayErrorResponse says nothing about the request. */
function parseApiError(request: QuoteRequest, error: unknown): ServiceError | 'noRoute' | undefined {
  if (!(error instanceof UpstreamError) || error.kind !== 'status') return undefined;
  const errorResponse = relayErrorResponse.safeParse(error.body).data;
  if (errorResponse?.errorCode === undefined) return undefined;
  if (NO_ROUTE.has(errorResponse.errorCode)) return 'noRoute';
  return amountError(request, { errorCode: errorResponse.errorCode, message: errorResponse.message ?? '' });
}

/** The bound is part of the message, in satoshi, if it is reported at all. */
function amountError(
  { tokenIn, amount }: QuoteRequest,
  { errorCode, message }: { readonly errorCode: string; readonly message: string },
) {
  const bound = BigInt(/\b(\d{1,16})\b/.exec(message)?.[1] ?? amount);
  if (TOO_LOW.has(errorCode)) return amountInTooLow(bound, tokenIn);
  return errorCode === 'INSUFFICIENT_LIQUIDITY' ? amountInTooHigh(bound, tokenIn) : undefined;
}

export function parseResponse<Schema extends z.ZodType>(schema: Schema, response: unknown): z.output<Schema> {
  const result = schema.safeParse(response);
  if (result.success) return result.data;
  throw new UpstreamError('its response has an unexpected form', { kind: 'unreadable', cause: result.error });
}

/** BRIDGE_API_ERROR for a failure after the quote. */
export const bridgeApiError = (cause: unknown): ServiceError => serviceError('BRIDGE_API_ERROR', {}, { cause });
