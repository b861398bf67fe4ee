import { z } from 'zod';
import type { CustomerId } from '../auth/principal';
import type { ChainTable } from '../chains/chain-table';
import { serviceError } from '../errors/service-error';
import { type MicroUsd, parseUsd } from '../money/usd';
import type { Database } from '../persistence/database';
import { optionalField } from '../persistence/json-fields';
import type { ProviderQuote, QuoteRequest } from '../venues/quote-provider';
import { parseProviderQuote } from '../venues/provider-quote-json';
import { type PendingRewrite, readAlsoLost } from './rewrite-lost-quotes';
import { parseStoredRequest } from './stored-quote';

/** What a quote states in US dollars, at the prices of its time. */
export interface QuotedValues {
  /** `undefined` without a price. */
  readonly amountInUsd: MicroUsd | undefined;
  readonly amountOutUsd: MicroUsd | undefined;
  readonly feeLines: readonly StoredFeeLine[];
}

/** A stored quote and its current state. */
export interface StoredQuote extends QuotedValues {
  readonly quoteId: string;
  readonly request: QuoteRequest;
  readonly offer: ProviderQuote;
  readonly thirdParty: boolean;
  /** True when the fees of the transfer are sponsored. */
  readonly feeSponsorship: boolean;
  readonly deadline: Date;
  /** Decided by the clock of the database. */
  readonly expired: boolean;
  /** SHA-256 of the canonical JSON of `rawQuote`; `undefined` without a `rawQuote`. */
  readonly rawQuoteHash: Uint8Array | undefined;
  /** Hash of the bytecode request that claimed the quote; `undefined` until then. */
  readonly bytecodeHash: Uint8Array | undefined;
  /** Payout details of an off-ramp, encrypted for `payoutContext(quoteId)`; `undefined` when the quote has none. */
  readonly sealedPayout: Uint8Array | undefined;
  readonly webhookUrl: string | undefined;
}

export interface FindQuoteDeps {
  readonly database: Pick<Database, '$queryRaw'>;
  readonly chains: ChainTable;
  /** Absent where only executed quotes are read, which no crash of the database loses. */
  readonly pendingRewrite?: PendingRewrite;
}

export interface QuoteKey {
  readonly quoteId: string;
  readonly customerId: CustomerId;
}

/** US dollars as decimal text; quotes of earlier versions have numbers. `undefined` for an implausibly long decimal. */
const usdField = optionalField(z.union([z.string(), z.number()]).transform((value) => parseUsd(String(value))));

const feeLine = z.object({
  kind: z.string(),
  amountRaw: z.string(),
  decimals: z.number(),
  symbol: z.string(),
  amountInUSD: usdField,
});
export type StoredFeeLine = z.infer<typeof feeLine>;

const side = z.object({ amountInUSD: usdField });
const viewSchema = z.object({ tokenIn: side, tokenOut: side, feeBreakdown: z.object({ lines: z.array(feeLine) }) });

/** Reads the values in US dollars from a `QuoteView`, stored or not. */
export function quotedValues(view: unknown): QuotedValues {
  const { tokenIn, tokenOut, feeBreakdown } = viewSchema.parse(view);
  return { amountInUsd: tokenIn.amountInUSD, amountOutUsd: tokenOut.amountInUSD, feeLines: feeBreakdown.lines };
}

interface Row {
  readonly request: unknown;
  readonly execution: unknown;
  readonly view: unknown;
  readonly rawQuoteHash: Uint8Array | null;
  readonly bytecodeHash: Uint8Array | null;
  readonly payout: Uint8Array | null;
  readonly webhookUrl: string | null;
  readonly deadline: Date;
  readonly expired: boolean;
}

/** Returns a quote of the customer. @throws QUOTE_NOT_FOUND when it does not exist or belongs to another customer */
export async function findQuote(
  { database, chains, pendingRewrite }: FindQuoteDeps,
  { quoteId, customerId }: QuoteKey,
): Promise<StoredQuote> {
  const [row] = await readAlsoLost(
    () => database.$queryRaw<Row[]>`
      SELECT request, execution, view, "rawQuoteHash", "bytecodeHash", payout, "webhookUrl", deadline, deadline <= now() AS expired
      FROM "Quote" WHERE id = ${quoteId}::uuid AND "customerId" = ${customerId}::uuid`,
    pendingRewrite,
  );
  if (row === undefined) throw serviceError('QUOTE_NOT_FOUND', { quoteId });
  return {
    quoteId,
    ...parseStoredRequest(row.request, chains),
    offer: parseProviderQuote(row.execution),
    deadline: row.deadline,
    expired: row.expired,
    rawQuoteHash: row.rawQuoteHash ?? undefined,
    bytecodeHash: row.bytecodeHash ?? undefined,
    sealedPayout: row.payout ?? undefined,
    webhookUrl: row.webhookUrl ?? undefined,
    ...quotedValues(row.view),
  };
}
