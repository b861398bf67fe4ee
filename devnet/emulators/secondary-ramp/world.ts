import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

export const CUSTOMER_STATUSES = ['pending', 'under_review', 'approved', 'rejected', 'partially_rejected'] as const;
export const TRANSACTION_STATUSES = [
  'awaiting_deposit',
  'processing',
  'completed',
  'failed',
  'refunded',
  'cancelled',
  'error',
] as const;
export const STEP_STATES = ['pending', 'under_review', 'approved', 'partially_rejected', 'rejected'] as const;

const text = z.string();
/** Millionths, as text. */
const micro = z.string().regex(/^\d+$/);
const side = z.object({ currency: text, payment_rail: text, amount: micro });

const customer = z.object({
  id: text,
  /** The fields of the creation request. */
  fields: z.record(text, z.unknown()),
  status: z.enum(CUSTOMER_STATUSES),
  steps: z.record(text, z.enum(STEP_STATES)),
  documents: z.array(z.object({ document_type: text, document_side: text.optional() })),
  /** When the review ends, in milliseconds since 1970. */
  reviewedAt: z.number().nullable(),
  /** Set by a request; null for the value of the control. */
  wires: z.boolean().nullable(),
  created_at: text,
  updated_at: text,
});
export type Customer = z.output<typeof customer>;

const quote = z.object({
  id: text,
  type: z.enum(['on_ramp', 'off_ramp']),
  sender: side,
  receiver: side,
  quotation: text,
  fee: micro,
  expiresAt: z.number(),
  used: z.boolean(),
});
export type Quote = z.output<typeof quote>;

const transaction = z.object({
  id: text,
  type: z.enum(['on_ramp', 'off_ramp']),
  quote_id: text,
  customer_id: text,
  status: z.enum(TRANSACTION_STATUSES),
  quotation: text,
  sender: side,
  receiver: side,
  /** The customer's wallet: recipient of pay-ins, sender of payouts. */
  wallet: text,
  /** Further fields of sender and receiver. */
  senderDetails: z.record(text, z.unknown()),
  receiverDetails: z.record(text, z.unknown()),
  /** BR Code, bank reference, or account on chain. */
  deposit_address: text,
  /** When the next step is due, in milliseconds since 1970. */
  dueAt: z.number().nullable(),
  txHash: text.nullable(),
  refundHash: text.nullable(),
  endToEndId: text.nullable(),
  created_at: text,
  updated_at: text,
  finished_at: text.nullable(),
});
export type Transaction = z.output<typeof transaction>;

const account = z.object({ id: text, customer_id: text, body: z.record(text, z.unknown()) });

const webhook = z.object({ id: text, url: text, subscriptions: z.array(text), enabled: z.boolean() });
export type Webhook = z.output<typeof webhook>;

const state = z.object({
  customers: z.array(customer),
  quotes: z.array(quote),
  transactions: z.array(transaction),
  accounts: z.array(account),
  webhooks: z.array(webhook),
});

/** The state of the ramp. */
export interface World extends z.output<typeof state> {
  /** Called after every change. */
  save(): void;
}

/** Opens the state, from a file when there is one, so that it survives a restart. */
export function openWorld(file: string | undefined): World {
  const known =
    file !== undefined && existsSync(file)
      ? state.parse(JSON.parse(readFileSync(file, 'utf8')))
      : { customers: [], quotes: [], transactions: [], accounts: [], webhooks: [] };
  return {
    ...known,
    save() {
      if (file === undefined) return;
      writeFileSync(`${file}.new`, JSON.stringify(state.parse(this)), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
  };
}

export const timestamp = (at = Date.now()): string => new Date(at).toISOString();

/** One page of a list, as `limit` (required) and `offset` say; `undefined` when they are invalid. */
export function pageOf<Entry>(entries: readonly Entry[], query: URLSearchParams): readonly Entry[] | undefined {
  const [limit, offset] = [query.get('limit') ?? '', query.get('offset') ?? '0'].map((part) =>
    Number.parseInt(part, 10),
  );
  if (limit === undefined || offset === undefined || !(limit >= 1 && limit <= 100) || !(offset >= 0)) return undefined;
  return entries.slice(offset, offset + limit);
}
