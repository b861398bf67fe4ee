import type { z } from 'zod';
import { isNativeToken, ZERO_ADDRESS } from '../../../chains/addresses';
import { serviceError, type ServiceError } from '../../../errors/service-error';
import type { HttpClient } from '../../../http/http-client';
import { providerUnavailable, UpstreamError } from '../../../http/upstream-error';
import { amountInTooHigh, amountInTooLow } from '../../amount-bounds';
import type { QuoteRequest } from '../../quote-provider';
import { quoteAnswer, type QuoteAnswer, refusal } from './wire';

export const ID = 'relay';
/** Relay's numbers for Bitcoin and its coin. */
const BITCOIN = { chainId: 8_253_038, currency: 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8' };

export interface DepositQuestion {
  readonly request: QuoteRequest;
  readonly recipient: string;
  /** Bitcoin address that gets the money back. */
  readonly refundTo: string | undefined;
  /** True when an address is to be opened, not just a price told. */
  readonly open: boolean;
}

/** `undefined` when there is no route. @throws PROVIDER_UNAVAILABLE, AMOUNT_IN_TOO_LOW, AMOUNT_IN_TOO_HIGH */
export async function askRelay(
  http: Pick<HttpClient, 'post'>,
  question: DepositQuestion,
  signal: AbortSignal,
): Promise<QuoteAnswer | undefined> {
  try {
    return parsed(quoteAnswer, await http.post('/quote/v2', bodyOf(question), signal));
  } catch (error) {
    const refused = refusalOf(question.request, error);
    if (refused === 'noRoute') return undefined;
    throw refused ?? providerUnavailable(ID, error);
  }
}

function bodyOf({ request, recipient, refundTo, open }: DepositQuestion): Record<string, unknown> {
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

/** `undefined` when the refusal says nothing about the request. */
function refusalOf(request: QuoteRequest, error: unknown): ServiceError | 'noRoute' | undefined {
  if (!(error instanceof UpstreamError) || error.kind !== 'status') return undefined;
  const said = refusal.safeParse(error.body).data;
  if (said?.errorCode === undefined) return undefined;
  if (NO_ROUTE.has(said.errorCode)) return 'noRoute';
  return aboutAmount(request, { errorCode: said.errorCode, message: said.message ?? '' });
}

/** The bound stands in the words, in satoshi, where it is told at all. */
function aboutAmount(
  { tokenIn, amount }: QuoteRequest,
  { errorCode, message }: { readonly errorCode: string; readonly message: string },
) {
  const bound = BigInt(/\b(\d{1,16})\b/.exec(message)?.[1] ?? amount);
  if (TOO_LOW.has(errorCode)) return amountInTooLow(bound, tokenIn);
  return errorCode === 'INSUFFICIENT_LIQUIDITY' ? amountInTooHigh(bound, tokenIn) : undefined;
}

export function parsed<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.output<Schema> {
  const result = schema.safeParse(answer);
  if (result.success) return result.data;
  throw new UpstreamError('its answer is not what was agreed', { kind: 'unreadable', cause: result.error });
}

/** BRIDGE_API_ERROR for a failure after the quote. */
export const bridgeError = (cause: unknown): ServiceError => serviceError('BRIDGE_API_ERROR', {}, { cause });
