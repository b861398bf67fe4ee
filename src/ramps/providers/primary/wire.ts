import { z } from 'zod';
import { UpstreamError } from '../../../http/upstream-error';

const id = z.string().min(1).max(200);
const amount = z.string().regex(/^\d{1,40}(?:\.\d{1,40})?$/);
const text = z.string().nullish();

/** Answer to `GET /v2/account/quote/fixed-rate`. Good for fifteen seconds. */
export const fixedRateQuote = z.object({
  quoteToken: z.string().min(1),
  inputCurrency: z.string(),
  inputAmount: amount,
  outputCurrency: z.string(),
  outputAmount: amount,
  /** For show: the amounts are net of them. */
  appliedFees: z.array(z.object({ type: z.string(), amount: z.string(), currency: z.string() })).nullish(),
});

/** Where a USD payment is to be sent. The guide describes it without the names of its fields: these are ours. */
const bankInstructions = z.object({
  bankName: z.string(),
  routingNumber: z.string(),
  accountNumber: z.string(),
  beneficiaryName: z.string(),
  memo: text,
});

export const openedTicket = z.object({
  id,
  brCode: text,
  /** ISO 8601; not needed. */
  expiration: z.unknown().optional(),
  bankInstructions: bankInstructions.nullish(),
});

/** A ticket as it is looked up. Only the blocks of its rail are present. */
export const wireTicket = z.object({
  id,
  externalId: text,
  status: z.enum(['UNPAID', 'PENDING', 'PROCESSING', 'ON-HOLD', 'PAID', 'FAILED', 'PARTIAL-FAILED', 'CANCELED']),
  createdAt: text,
  updatedAt: text,
  expiresAt: z.unknown().optional(),
  quote: z.object({ inputPaymentMethod: text, outputAmount: amount.nullish() }).nullish(),
  brazilianFiatSenderInfo: z.object({ endToEndId: text }).nullish(),
  brazilianFiatReceiverInfo: z.object({ endToEndId: text }).nullish(),
  blockchainReceiverInfo: z.object({ txHash: text }).nullish(),
  brlPixInputInfo: z.object({ brCode: text }).nullish(),
  bankInstructions: bankInstructions.nullish(),
});
export type WireTicket = z.infer<typeof wireTicket>;

export const oneTicket = z.object({ ticket: wireTicket });
export const ticketList = z.object({ tickets: z.array(wireTicket), cursor: text });

export const accountInfo = z.object({
  accountInfo: z.object({ identityStatus: z.string() }),
  wallets: z.array(z.object({ walletAddress: z.string(), chain: z.string() })),
});

/** Of every currency that the ramp has: one that cannot be read says nothing of the others. */
export const balances = z.object({ balances: z.record(z.string(), z.unknown()) });
export const balance = amount;

const used = z.object({ usedFiatIn: amount, usedFiatOut: amount });
/** Of every currency that the ramp has: those of others than ours are not read further. */
export const limitsResponse = z.object({
  limitInfo: z.object({ blocked: z.boolean(), limits: z.array(z.looseObject({ currency: z.string() })) }),
});
export const currencyLimit = z.object({
  currency: z.string(),
  maxFiatIn: amount,
  maxFiatOut: amount,
  usedLimit: used.nullish(),
});

export const pixInfo = z.object({ name: z.string(), taxId: z.string(), bankName: z.string() });

export const created = z.object({ id });

export const subAccounts = z.object({
  subAccounts: z.array(z.object({ subAccountId: id, accountInfo: z.object({ name: text }).nullish() })),
  cursor: text,
});

export const openedDocument = z.object({ id, uploadURLFront: z.url(), uploadURLBack: z.url().nullish() });
export const documentState = z.object({
  document: z.object({ ready: z.boolean(), uploadErrorFront: text, uploadErrorBack: text }),
});

const attempt = z.object({
  id,
  status: z.enum(['PENDING', 'PROCESSING', 'COMPLETED', 'EXPIRED']),
  result: z.enum(['APPROVED', 'REJECTED', '']).nullish(),
  rejectionLabels: z.array(z.string()).nullish(),
  retryable: z.boolean().nullish(),
  createdAt: text,
});
export type WireAttempt = z.infer<typeof attempt>;
export const attemptList = z.object({ attempts: z.array(attempt) });
export const oneAttempt = z.object({ attempt });

export const metadata = z.object({ brlUnlocked: z.boolean().nullish(), usdUnlocked: z.boolean().nullish() });

const usdBeneficiary = z.object({ id, bankAccountNumber: text, bankRoutingNumber: text });
/** The guide shows what is saved, not what a list of it looks like: bare, or under one name. */
export const usdBeneficiaries = z.union([
  z.array(usdBeneficiary),
  z
    .record(z.string(), z.unknown())
    .transform((body) => z.array(usdBeneficiary).safeParse(Object.values(body).find(Array.isArray)).data ?? z.NEVER)
    .pipe(z.array(usdBeneficiary)),
]);

export const publicKeyResponse = z.object({ publicKey: z.string().min(1) });

export const webhookList = z.object({ webhooks: z.array(z.object({ id, url: z.string() })) });

/** @throws UpstreamError when an answer is not what was agreed */
export function readResponse<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  // Of zod's report the paths alone: its messages may repeat what was sent.
  const paths = parsed.error.issues.map(({ path }) => path.join('.')).join(', ');
  throw new UpstreamError(`its response has an unexpected form (${paths})`, { kind: 'unreadable' });
}
