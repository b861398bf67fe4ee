import type { Pool } from 'pg';
import type { CustomerId } from '../auth/principal';
import type { Prisma } from '../persistence/client/client';
import type { Transaction } from '../persistence/database';
import type { PersonalDataVault } from '../persistence/personal-data';
import { canonicalHash } from '../persistence/canonical-hash';
import type { PricedSwap } from './quote-swap';
import type { QuoteView } from './quote-view';
import { providerQuoteJson } from '../venues/provider-quote-json';
import { requestJson } from './stored-quote';

export interface NewQuote {
  readonly customerId: CustomerId;
  readonly swap: PricedSwap;
  readonly view: QuoteView;
  /** Hash of the bytecode request that claims the quote; absent for a price-only quote. */
  readonly bytecodeHash?: Buffer;
}

/** Stores an executable quote in the transaction that creates its action. */
export async function saveQuote(
  { tx, vault }: { readonly tx: Pick<Transaction, 'quote'>; readonly vault: Vault },
  quote: NewQuote,
): Promise<void> {
  const { rawQuoteHash, bytecodeHash, payout, ...columns } = rowOf(quote, vault);
  const bytes = {
    rawQuoteHash: bytesOf(rawQuoteHash),
    bytecodeHash: bytesOf(bytecodeHash),
    payout: payout ?? null,
  };
  await tx.quote.create({ data: { ...columns, ...bytes }, select: { id: true } });
}

type Vault = Pick<PersonalDataVault, 'seal'>;

/** Encryption context of a quote's payout details. */
export const payoutContext = (quoteId: string): string => `Quote:${quoteId}`;

const bytesOf = (buffer: Buffer | undefined) => (buffer === undefined ? null : new Uint8Array(buffer));

/** Stores price-only quotes. */
export type SavePriceQuotes = (quotes: readonly NewQuote[]) => Promise<void>;

/** Stores the quotes of one customer with `write`. */
export const priceWriter =
  (write: WritePriceRows, vault: Vault): SavePriceQuotes =>
  async (quotes) => {
    if (quotes.length > 0) await write(quotes.map((quote) => priceRow(quote, vault)));
  };

/** A price-only quote as it is stored: payout details are encrypted. */
export type PriceRow = ReturnType<typeof priceRow>;

/** Stores rows of one customer. */
export type WritePriceRows = (rows: readonly PriceRow[]) => Promise<void>;

/**
 * On the critical path of a response, so it is one prepared statement whose commit does not wait for the disk. A crash of
 * the database within the next half second can lose the quotes; `withLostQuotesRewritten` stores them again. Claiming a quote does
 * wait for the disk, which by then holds the quote as well. Quotes that are stored already stay as they are.
 */
export const priceRowWriter =
  (pool: Pick<Pool, 'query'>): WritePriceRows =>
  async (rows) => {
    await pool.query({ name: 'save-prices', text: SAVE_PRICES, values: [JSON.stringify(rows)] });
  };

const PRICE_COLUMNS = {
  id: 'uuid',
  customerId: 'uuid',
  provider: 'text',
  deadline: 'timestamptz',
  webhookUrl: 'text',
  chainIdIn: 'bigint',
  chainIdOut: 'bigint',
  tokenIn: 'text',
  tokenOut: 'text',
  amountIn: 'numeric',
  maxAmountIn: 'numeric',
  expectedAmountOut: 'numeric',
  minAmountOut: 'numeric',
  request: 'jsonb',
  view: 'jsonb',
  execution: 'jsonb',
  rawQuoteHash: 'text',
  payout: 'text',
} as const satisfies Partial<Record<keyof ReturnType<typeof rowOf>, string>>;

const columns = Object.entries(PRICE_COLUMNS).map(([name, type]) => ({ name: `"${name}"`, type }));
const IN_HEX: ReadonlySet<string> = new Set(['"rawQuoteHash"', '"payout"']);
const valueOf = ({ name }: { readonly name: string }) => (IN_HEX.has(name) ? `decode(${name}, 'hex')` : name);
const SAVE_PRICES = `
  INSERT INTO "Quote" (${columns.map(({ name }) => name).join(', ')})
  SELECT ${columns.map(valueOf).join(', ')}
    FROM set_config('synchronous_commit', 'off', true),
         json_to_recordset($1) AS price(${columns.map(({ name, type }) => `${name} ${type}`).join(', ')})
  ON CONFLICT ("id") DO NOTHING`;

const priceRow = (quote: NewQuote, vault: Vault) => {
  const { payout, ...row } = rowOf(quote, vault);
  const sealed = payout === undefined ? undefined : Buffer.from(payout).toString('hex');
  return { ...row, rawQuoteHash: row.rawQuoteHash?.toString('hex'), payout: sealed };
};

function rowOf({ customerId, swap, view, bytecodeHash }: NewQuote, vault: Vault) {
  const { quoteId, intent, request, offer, deadline } = swap;
  return {
    id: quoteId,
    customerId,
    provider: offer.provider,
    deadline,
    webhookUrl: intent.webhookUrl ?? null,
    chainIdIn: request.origin.chainId,
    chainIdOut: request.destination.chainId,
    tokenIn: request.tokenIn.address,
    tokenOut: request.tokenOut.address,
    amountIn: offer.amountIn.toString(),
    maxAmountIn: offer.maxAmountIn.toString(),
    expectedAmountOut: offer.expectedAmountOut.toString(),
    minAmountOut: offer.minAmountOut.toString(),
    request: toJson(requestJson(swap)),
    view: toJson(view),
    execution: toJson(providerQuoteJson(offer)),
    rawQuoteHash: offer.rawQuote === undefined ? undefined : canonicalHash(offer.rawQuote),
    payout: request.fiat?.payout && vault.seal(request.fiat.payout, payoutContext(quoteId)),
    bytecodeHash,
  };
}

/** The JSON as it is read back: without undefined fields. */
const toJson = (value: object): Prisma.InputJsonObject => JSON.parse(JSON.stringify(value)) as Prisma.InputJsonObject;
