import { z } from 'zod';
import { UpstreamError } from '../../../http/upstream-error';

/*
 * The ramp's responses, as far as they are read. The format has three generations: requests use the newest, and responses may
 * have the names of the older ones.
 */

const text = z.string().min(1);
/** An amount in units, as a number or as text. */
const amount = z.union([z.number(), text]);
const absent = <Shape extends z.ZodType>(shape: Shape) => shape.nullish().transform((value) => value ?? undefined);
/** An optional part of a response, which is ignored when its format is unknown. */
const extra = <Shape extends z.ZodType>(shape: Shape) =>
  z
    .unknown()
    .optional()
    .transform((value): z.output<Shape> | undefined => shape.safeParse(value).data);

const quoteSide = z.object({ amount: absent(amount), currency: absent(text) });
const fee = z.object({ amount, currency: absent(text) });

export const quoteResponse = z.object({
  id: text,
  /** ISO 8601, or Unix seconds in the older form. */
  expires_at: z.union([z.number(), text]),
  sender: absent(quoteSide),
  receiver: absent(quoteSide),
  /** Fiat for one USDC. */
  commercial_quotation: absent(amount),
  quotation: absent(amount),
  /** The format is not in the guides. */
  fees: z.unknown().optional(),
});
export const quoteFees = absent(z.array(fee));
export type QuoteResponse = z.output<typeof quoteResponse>;

const bankAccount = z.object({
  bank_name: text,
  routing_number: text,
  bank_account_number: absent(text),
  account_number: absent(text),
  beneficiary: absent(z.object({ name: text })),
  beneficiary_name: absent(text),
});
export type ApiBankAccount = z.output<typeof bankAccount>;

const depositInstructions = z.object({
  amount,
  currency: text,
  payment_rail: text,
  deposit_address: absent(text),
  bank_account: absent(bankAccount),
  reference: absent(text),
});

const party = z.object({
  currency: absent(text),
  payment_rail: absent(text),
  amount: absent(amount),
  address: absent(text),
  /** The transaction of the settlement. Not in the guides, so under both usual names. */
  tx_hash: absent(text),
  transaction_hash: absent(text),
  pix_end_to_end_id: absent(text),
});

export const transactionResponse = z.object({
  id: text,
  status: z.enum(['awaiting_deposit', 'processing', 'completed', 'failed', 'refunded', 'cancelled', 'error']),
  type: absent(text),
  quote_id: absent(text),
  customer_id: absent(text),
  sender_deposit_instructions: absent(depositInstructions),
  sender: absent(party),
  receiver: absent(party),
  receipt: extra(z.object({ final_fiat_amount: absent(amount), initial_crypto_amount: absent(amount) })),
  refund: extra(z.object({ tx_hash: absent(text) })),
  created_at: absent(text),
});
export type ApiTransaction = z.output<typeof transactionResponse>;

/** A transaction in a list. Tolerates unknown values, so that one entry does not fail the others. */
export const listedTransaction = transactionResponse.omit({ status: true }).extend({
  sender_deposit_instructions: extra(depositInstructions),
  sender: extra(party),
  receiver: extra(party),
});
export type ListedTransaction = z.output<typeof listedTransaction>;

export const customer = z.object({
  id: text,
  status: z.enum(['pending', 'under_review', 'approved', 'rejected', 'partially_rejected']),
  first_name: absent(text),
  last_name: absent(text),
  email: absent(text),
  date_of_birth: absent(text),
  tin: absent(text),
  tax_id: absent(text),
  identity_documents: absent(z.array(z.object({ type: text, value: text }))),
  created_at: absent(text),
  verification: absent(z.object({ verification_link: absent(text), verification_type: absent(text) })),
});
export type ApiCustomer = z.output<typeof customer>;

/** A customer in a list. Ignores the status, so that an unknown one does not fail the others. */
export const listedCustomer = customer.omit({ status: true, verification: true });
export type ListedCustomer = z.output<typeof listedCustomer>;

/** A list of codes, or a single code. */
const codes = z.union([z.array(text), text.transform((code) => [code])]);

const step = z.union([
  text,
  z.object({
    name: text,
    rejection_code: absent(codes),
    rejection_codes: absent(codes),
    rejection_description: absent(text),
  }),
]);
export type ApiStep = z.output<typeof step>;

const steps = absent(z.array(step));
const stepsByState = z.object({
  pending: steps,
  under_review: steps,
  approved: steps,
  partially_rejected: steps,
  rejected: steps,
});
export type ApiSteps = z.output<typeof stepsByState>;

/** The steps are an object by state, or a list of steps with a state. */
export const verificationDetails = z.object({
  customer_status: absent(text),
  verification_steps: absent(z.union([stepsByState, z.array(z.looseObject({ name: text, status: absent(text) }))])),
});

export type VerificationDetails = z.output<typeof verificationDetails>;

/** The rails of a customer. The guides do not show the format. */
const rail = z.union([
  text,
  z.object({
    payment_rail: absent(text),
    rail: absent(text),
    enabled: absent(z.boolean()),
    status: absent(text),
  }),
]);
export const rails = z.array(rail);

/** The limits of a customer. The guides do not show the format. */
const limit = z.object({
  currency: text,
  payment_rail: absent(text),
  type: absent(text),
  minimum: absent(amount),
  maximum: absent(amount),
  period: absent(text),
  used: absent(amount),
  remaining: absent(amount),
  resets_at: absent(text),
});
export const limits = z.array(limit);
export type ApiLimit = z.output<typeof limit>;

const wireAccount = z.object({
  bank_account_number: absent(text),
  routing_number: absent(text),
});
export const externalAccount = z.object({
  id: text,
  customer_id: absent(text),
  account_name: absent(text),
  payment_rail: absent(text),
  wire: absent(wireAccount),
  ...wireAccount.shape,
});

export const identified = z.object({ id: text });

/** A list is a bare array, or an array under one of these names. */
const LISTS = ['data', 'customers', 'transactions', 'external_accounts', 'rails', 'limits'] as const;

/** @throws UpstreamError */
export function readResponse<Shape extends z.ZodType>(shape: Shape, body: unknown): z.output<Shape> {
  const result = shape.safeParse(body);
  if (result.success) return result.data;
  throw unreadable('its response has an unexpected form', result.error);
}

/** @throws UpstreamError */
export function listOf(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const name = LISTS.find((candidate) => candidate in body);
  return name === undefined ? body : (body as Readonly<Record<string, unknown>>)[name];
}

export const unreadable = (reason: string, cause?: unknown): UpstreamError =>
  new UpstreamError(reason, { kind: 'unreadable', cause });

/** The body of a refusal. The code may be nested, or in place of the message. */
const refusalBody = z.object({
  code: absent(text),
  message: absent(text),
  error: absent(z.union([text, z.object({ code: absent(text), message: absent(text) })])),
});

/** Code and message of a refusal in lower case, to search for words. Never returned to callers. */
export function refusalText(error: unknown): string {
  if (!(error instanceof UpstreamError)) return '';
  const { code, message, error: inner } = refusalBody.safeParse(error.body).data ?? {};
  const nested = typeof inner === 'string' ? [inner] : [inner?.code, inner?.message];
  return [code, message, ...nested]
    .filter((part) => part !== undefined)
    .join(' ')
    .toLowerCase();
}
