import type { z } from 'zod';
import { isNativeToken, NATIVE_TOKEN } from '../../../chains/addresses';
import { serviceError } from '../../../errors/service-error';
import type { HttpClient } from '../../../http/http-client';
import { providerUnavailable, UpstreamError } from '../../../http/upstream-error';
import { formatBaseUnits } from '../../../money/base-units';
import { printableText } from '../../../tokens/printable-text';
import type { QuoteRequest } from '../../quote-provider';
import { availability, type Price, priceAnswer, type Quote, quoteAnswer, refusal } from './wire';

export const ID = 'zeroEx';

export interface ZeroExQuestion {
  readonly request: QuoteRequest;
  readonly slippageBps: number;
  /** Wallet that sells; a firm quote needs one. */
  readonly taker: string | undefined;
  /** Wallet that the bought tokens go to; the taker when absent. */
  readonly recipient: string | undefined;
}

/** An indicative price. `undefined` when there is no route. @throws PROVIDER_UNAVAILABLE, AMOUNT_IN_TOO_LOW, QUOTE_GENERATION_FAILED */
export const askPrice = (
  http: Pick<HttpClient, 'get'>,
  question: ZeroExQuestion,
  signal: AbortSignal,
): Promise<Price | undefined> =>
  ask(http, { path: '/swap/allowance-holder/price', shape: priceAnswer, question }, signal);

/** A firm quote with its transaction. `undefined` when there is no route. @throws PROVIDER_UNAVAILABLE, AMOUNT_IN_TOO_LOW, QUOTE_GENERATION_FAILED */
export const askQuote = (
  http: Pick<HttpClient, 'get'>,
  question: ZeroExQuestion & { readonly taker: string },
  signal: AbortSignal,
): Promise<Quote | undefined> =>
  ask(http, { path: '/swap/allowance-holder/quote', shape: quoteAnswer, question }, signal);

interface Call<Answer> {
  readonly path: string;
  readonly shape: z.ZodType<Answer>;
  readonly question: ZeroExQuestion;
}

async function ask<Answer extends Price>(
  http: Pick<HttpClient, 'get'>,
  { path, shape, question }: Call<Answer>,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  try {
    const body = await http.get(path, queryOf(question), signal);
    if (!parsed(availability, body).liquidityAvailable) return undefined;
    const answer = parsed(shape, body);
    assertAnswers(answer, question);
    return answer;
  } catch (error) {
    const said = refusalOf(error);
    if (said?.meaning === 'noRoute') return undefined;
    throw said === undefined ? providerUnavailable(ID, error) : refused(said, question.request);
  }
}

function queryOf({ request, slippageBps, taker, recipient }: ZeroExQuestion) {
  const { origin, tokenIn, tokenOut, amount } = request;
  return {
    chainId: origin.chainId,
    sellToken: spelled(tokenIn.address),
    buyToken: spelled(tokenOut.address),
    sellAmount: amount.toString(),
    slippageBps,
    taker,
    recipient: recipient === taker ? undefined : recipient,
  };
}

const spelled = (token: string): string => (isNativeToken(token) ? NATIVE_TOKEN : token);

function parsed<Shape extends z.ZodType>(shape: Shape, body: unknown): z.output<Shape> {
  const result = shape.safeParse(body);
  if (result.success) return result.data;
  throw new UpstreamError('its answer is not what was agreed', { kind: 'unreadable', cause: result.error });
}

/** An answer to another question is none. */
function assertAnswers(answer: Price, { request }: ZeroExQuestion): void {
  const { tokenIn, tokenOut, amount } = request;
  const isForThese = answer.sellToken === spelled(tokenIn.address) && answer.buyToken === spelled(tokenOut.address);
  if (isForThese && answer.sellAmount === amount) return;
  throw new UpstreamError('its answer is for another swap', { kind: 'unreadable' });
}

/** What 0x means by a refusal; `invalid`: nothing can be made of the question. */
interface Refusal {
  readonly meaning: 'noRoute' | 'tooLittle' | 'invalid';
  readonly reason: string;
}

const MEANINGS: Readonly<Record<string, Refusal['meaning']>> = {
  TOKEN_NOT_SUPPORTED: 'noRoute',
  BUY_TOKEN_NOT_AUTHORIZED_FOR_TRADE: 'noRoute',
  SELL_TOKEN_NOT_AUTHORIZED_FOR_TRADE: 'noRoute',
  RECIPIENT_NOT_SUPPORTED: 'noRoute',
  INSUFFICIENT_ASSET_LIQUIDITY: 'noRoute',
  NO_LIQUIDITY: 'noRoute',
  SELL_AMOUNT_TOO_SMALL: 'tooLittle',
};

/** Statuses by which 0x refuses what was asked. The others are about our key, our pace, or its own troubles. */
const REFUSALS: ReadonlySet<number> = new Set([400, 404, 422]);
const REASON_LENGTH = 200;

/** A refusal of the question; `undefined` when 0x could not be asked. */
function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof UpstreamError) || !REFUSALS.has(error.status ?? 0)) return undefined;
  const said = refusal.safeParse(error.body).data;
  if (said === undefined) return undefined;
  return { meaning: MEANINGS[said.name] ?? 'invalid', reason: `0x: ${printableText(said.message, REASON_LENGTH)}` };
}

function refused({ meaning, reason }: Refusal, { amount, tokenIn }: QuoteRequest) {
  if (meaning === 'invalid') return serviceError('QUOTE_GENERATION_FAILED', { reason });
  // 0x does not say how much would be enough.
  const asked = `${formatBaseUnits(amount, tokenIn.decimals)} ${tokenIn.symbol}`;
  return serviceError('AMOUNT_IN_TOO_LOW', { minimum: `more than ${asked}` });
}
