import type { Address, Hex } from 'viem';
import { z } from 'zod';
import type { HttpClient } from '../../../http/http-client';
import { UpstreamError } from '../../../http/upstream-error';
import { baseUnitsSchema } from '../../../money/base-units';
import type { StockOrder } from '../stock-order';
import type { PostRefusal } from '../stock-venue';
import { cowOrder } from './cow-order';

/** A trade to be quoted. */
export interface ProbedTrade {
  readonly sellToken: Address;
  readonly buyToken: Address;
  readonly sellAmount: bigint;
  /** Wallet that would sell. */
  readonly from: Address;
}

/** CoW Protocol's order book of one network. */
export interface OrderBook {
  /** A price without obligation, and the id of the quote. Resolves to the refusal where there is none. */
  quote(trade: ProbedTrade, signal: AbortSignal): Promise<OrderBookQuote | PostRefusal>;
  /** `undefined` when the order is in the book, also when it was there before. */
  post(order: StockOrder, signing: OrderSigning, signal: AbortSignal): Promise<PostRefusal | undefined>;
  /** `undefined` when the book did not say. */
  has(uid: Hex, signal: AbortSignal): Promise<boolean | undefined>;
  /** Transactions that settled the order, as the book reports them. */
  settlements(uid: Hex, signal: AbortSignal): Promise<readonly Hex[]>;
}

export interface OrderSigning {
  readonly signature: Hex;
  readonly quoteId: bigint | undefined;
}

export interface OrderBookQuote {
  readonly id: bigint | undefined;
  readonly buyAmount: bigint;
}

const quoteResponse = z.object({
  id: z.int().nonnegative().nullish(),
  quote: z.object({ buyAmount: baseUnitsSchema }),
});
const failure = z.object({ errorType: z.string().max(100), description: z.string().catch('') });
const trades = z
  .array(
    z.object({
      txHash: z
        .string()
        .regex(/^0x[0-9a-fA-F]{64}$/)
        .nullish(),
    }),
  )
  .max(1000);

/** Refusals of what the order itself says: the same order would be refused again. All others may pass, unknown ones too. */
const LASTING: ReadonlySet<string> = new Set([
  'AppDataHashMismatch',
  'AppdataFromMismatch',
  'ExcessiveValidTo',
  'IncompatibleSigningScheme',
  'InvalidAppData',
  'InvalidEip1271Signature',
  'InvalidNativeSellToken',
  'InvalidSignature',
  'MissingFrom',
  'NonZeroFee',
  'SameBuyAndSellToken',
  'SellAmountOverflow',
  'UnsupportedBuyTokenDestination',
  'UnsupportedOrderType',
  'UnsupportedSellTokenSource',
  'UnsupportedSignature',
  'UnsupportedToken',
  'WrongOwner',
  'ZeroAmount',
]);

/** @see https://docs.cow.fi/cow-protocol/reference/apis/orderbook */
export const createOrderBook = (http: Pick<HttpClient, 'get' | 'post'>): OrderBook => ({
  async quote({ sellToken, buyToken, sellAmount, from }, signal) {
    const body = { sellToken, buyToken, from, kind: 'sell', sellAmountBeforeFee: sellAmount.toString() };
    try {
      const { id, quote } = quoteResponse.parse(await http.post('/api/v1/quote', body, signal));
      return { id: id === null || id === undefined ? undefined : BigInt(id), buyAmount: quote.buyAmount };
    } catch (error) {
      return refusalOf(error);
    }
  },
  async post(order, { signature, quoteId }, signal) {
    const { sellAmount, buyAmount, feeAmount, ...terms } = cowOrder(order);
    const amounts = {
      sellAmount: sellAmount.toString(),
      buyAmount: buyAmount.toString(),
      feeAmount: feeAmount.toString(),
    };
    const signed = { signingScheme: 'eip712', signature, from: order.orderWallet };
    const quoted = quoteId === undefined ? {} : { quoteId: Number.parseInt(quoteId.toString(), 10) };
    try {
      await http.post('/api/v1/orders', { ...terms, ...amounts, ...signed, ...quoted }, signal);
      return undefined;
    } catch (error) {
      const refusal = refusalOf(error);
      return refusal.code === 'DuplicatedOrder' ? undefined : refusal;
    }
  },
  async has(uid, signal) {
    try {
      await http.get(`/api/v1/orders/${uid}`, {}, signal);
      return true;
    } catch (error) {
      return error instanceof UpstreamError && error.status === 404 ? false : undefined;
    }
  },
  async settlements(uid, signal) {
    try {
      const found = trades.parse(await http.get('/api/v1/trades', { orderUid: uid }, signal));
      return found.flatMap(({ txHash }) => (txHash === null || txHash === undefined ? [] : (txHash as Hex)));
    } catch {
      return []; // the logs of the chain have them as well
    }
  },
});

function refusalOf(error: unknown): PostRefusal {
  if (!(error instanceof UpstreamError))
    return { code: undefined, message: 'its response is unreadable', mayRetry: true };
  const { status = 0, body, message } = error;
  const { data } = failure.safeParse(body);
  if (data === undefined) return { code: undefined, message, mayRetry: true };
  const isLasting = status >= 400 && status < 500 && status !== 429 && LASTING.has(data.errorType);
  return { code: data.errorType, message: data.description || data.errorType, mayRetry: !isLasting };
}
