import type { z } from 'zod';
import { isNativeToken, NATIVE_TOKEN } from '../../../chains/addresses';
import { serviceError } from '../../../errors/service-error';
import type { HttpClient } from '../../../http/http-client';
import { providerUnavailable, UpstreamError } from '../../../http/upstream-error';
import { formatBaseUnits } from '../../../money/base-units';
import { printableText } from '../../../tokens/printable-text';
import type { QuoteRequest } from '../../quote-provider';
import {
  availability,
  type ZeroExPrice,
  priceResponse,
  type ZeroExQuote,
  quoteResponse,
  zeroExErrorResponse,
} from './api-schemas';

export const ZERO_EX = 'zeroEx';

export interface ZeroExParameters {
  readonly request: QuoteRequest;
  readonly slippageBps: number;
  /** Selling wallet; required for a firm quote. */
  readonly taker: string | undefined;
  /** Recipient of the bought tokens; the taker when absent. */
  readonly recipient: string | undefined;
}

/** An indicative price. `undefined` when there is no route. @throws PROVIDER_UNAVAILABLE, AMOUNT_IN_TOO_LOW, QUOTE_GENERATION_FAILED */
export const fetchPrice = (
  http: Pick<HttpClient, 'get'>,
  parameters: ZeroExParameters,
  signal: AbortSignal,
): Promise<ZeroExPrice | undefined> =>
  fetchPriced(http, { path: '/swap/allowance-holder/price', shape: priceResponse, parameters }, signal);

/** A firm quote with its transaction. `undefined` when there is no route. @throws PROVIDER_UNAVAILABLE, AMOUNT_IN_TOO_LOW, QUOTE_GENERATION_FAILED */
export const fetchQuote = (
  http: Pick<HttpClient, 'get'>,
  parameters: ZeroExParameters & { readonly taker: string },
  signal: AbortSignal,
): Promise<ZeroExQuote | undefined> =>
  fetchPriced(http, { path: '/swap/allowance-holder/quote', shape: quoteResponse, parameters }, signal);

interface PriceCall<Response> {
  readonly path: string;
  readonly shape: z.ZodType<Response>;
  readonly parameters: ZeroExParameters;
}

async function fetchPriced<Response extends ZeroExPrice>(
  http: Pick<HttpClient, 'get'>,
  { path, shape, parameters }: PriceCall<Response>,
  signal: AbortSignal,
): Promise<Response | undefined> {
  try {
    const body = await http.get(path, queryOf(parameters), signal);
    if (!parseResponse(availability, body).liquidityAvailable) return undefined;
    const response = parseResponse(shape, body);
    assertMatchesRequest(response, parameters);
    return response;
  } catch (error) {
    const apiError = parseApiError(error);
    if (apiError?.meaning === 'noRoute') return undefined;
    throw apiError === undefined ? providerUnavailable(ZERO_EX, error) : amountError(apiError, parameters.request);
  }
}

function queryOf({ request, slippageBps, taker, recipient }: ZeroExParameters) {
  const { origin, tokenIn, tokenOut, amount } = request;
  return {
    chainId: origin.chainId,
    sellToken: wireAddress(tokenIn.address),
    buyToken: wireAddress(tokenOut.address),
    sellAmount: amount.toString(),
    slippageBps,
    taker,
    recipient: recipient === taker ? undefined : recipient,
  };
}

const wireAddress = (token: string): string => (isNativeToken(token) ? NATIVE_TOKEN : token);

function parseResponse<Shape extends z.ZodType>(shape: Shape, body: unknown): z.output<Shape> {
  const result = shape.safeParse(body);
  if (result.success) return result.data;
  throw new UpstreamError('its response has an unexpected form', { kind: 'unreadable', cause: result.error });
}

/** A response for another swap is invalid. */
function assertMatchesRequest(response: ZeroExPrice, { request }: ZeroExParameters): void {
  const { tokenIn, tokenOut, amount } = request;
  const isForThese =
    response.sellToken === wireAddress(tokenIn.address) && response.buyToken === wireAddress(tokenOut.address);
  if (isForThese && response.sellAmount === amount) return;
  throw new UpstreamError('its response is for another swap', { kind: 'unreadable' });
}

/** Meaning of an error response; `invalid`: the request cannot be processed. */
interface ZeroExApiError {
  readonly meaning: 'noRoute' | 'tooLittle' | 'invalid';
  readonly reason: string;
}

const MEANINGS: Readonly<Record<string, ZeroExApiError['meaning']>> = {
  TOKEN_NOT_SUPPORTED: 'noRoute',
  BUY_TOKEN_NOT_AUTHORIZED_FOR_TRADE: 'noRoute',
  SELL_TOKEN_NOT_AUTHORIZED_FOR_TRADE: 'noRoute',
  RECIPIENT_NOT_SUPPORTED: 'noRoute',
  INSUFFICIENT_ASSET_LIQUIDITY: 'noRoute',
  NO_LIQUIDITY: 'noRoute',
  SELL_AMOUNT_TOO_SMALL: 'tooLittle',
};

/** HTTP statuses of rejected requests. All others are a wrong key, a rate limit or a failure of 0x. */
const REQUEST_ERROR_STATUSES: ReadonlySet<number> = new Set([400, 404, 422]);
const REASON_LENGTH = 200;

/** Parses an error response about the request; `undefined` when 0x is unavailable. */
function parseApiError(error: unknown): ZeroExApiError | undefined {
  if (!(error instanceof UpstreamError) || !REQUEST_ERROR_STATUSES.has(error.status ?? 0)) return undefined;
  const apiError = zeroExErrorResponse.safeParse(error.body).data;
  if (apiError === undefined) return undefined;
  return {
    meaning: MEANINGS[apiError.name] ?? 'invalid',
    reason: `0x: ${printableText(apiError.message, REASON_LENGTH)}`,
  };
}

function amountError({ meaning, reason }: ZeroExApiError, { amount, tokenIn }: QuoteRequest) {
  if (meaning === 'invalid') return serviceError('QUOTE_GENERATION_FAILED', { reason });
  // 0x does not report the minimum.
  const requested = `${formatBaseUnits(amount, tokenIn.decimals)} ${tokenIn.symbol}`;
  return serviceError('AMOUNT_IN_TOO_LOW', { minimum: `more than ${requested}` });
}
