import type { CustomerId } from '../auth/principal';
import type { Prisma } from '../persistence/client/client';
import type { Database } from '../persistence/database';
import { canonicalHash } from './canonical-hash';
import type { PricedSwap } from './quote-swap';
import type { QuoteView } from './quote-view';
import { offerJson, requestJson } from './stored-quote';

/** Where quotes are written: the database, or a transaction of it. */
export type QuoteWriter = Pick<Database, 'quote'>;

export interface NewQuote {
  readonly customerId: CustomerId;
  readonly swap: PricedSwap;
  readonly view: QuoteView;
  /** Hash of the bytecode request that the quote already answers; absent when only a price was asked for. */
  readonly bytecodeHash?: Buffer;
}

export async function saveQuote(database: QuoteWriter, quote: NewQuote): Promise<void> {
  await database.quote.create({ data: rowOf(quote), select: { id: true } });
}

export async function saveQuotes(database: QuoteWriter, quotes: readonly NewQuote[]): Promise<void> {
  if (quotes.length > 0) await database.quote.createMany({ data: quotes.map(rowOf) });
}

function rowOf({ customerId, swap, view, bytecodeHash }: NewQuote) {
  const { quoteId, intent, request, offer, deadline } = swap;
  const rawQuoteHash = offer.rawQuote === undefined ? undefined : canonicalHash(offer.rawQuote);
  return {
    ...{ id: quoteId, customerId, provider: offer.provider, deadline, webhookUrl: intent.webhookUrl ?? null },
    ...{ chainIdIn: request.origin.chainId, chainIdOut: request.destination.chainId },
    ...{ tokenIn: request.tokenIn.address, tokenOut: request.tokenOut.address },
    amountIn: offer.amountIn.toString(),
    maxAmountIn: offer.maxAmountIn.toString(),
    expectedAmountOut: offer.expectedAmountOut.toString(),
    minAmountOut: offer.minAmountOut.toString(),
    request: toJson(requestJson(swap)),
    view: toJson(view),
    execution: toJson(offerJson(offer)),
    rawQuoteHash: rawQuoteHash === undefined ? null : new Uint8Array(rawQuoteHash),
    bytecodeHash: bytecodeHash === undefined ? null : new Uint8Array(bytecodeHash),
  };
}

/** As it will be read back: without the fields that have no value. */
const toJson = (value: object): Prisma.InputJsonObject => JSON.parse(JSON.stringify(value)) as Prisma.InputJsonObject;
