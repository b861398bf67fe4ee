import { z } from 'zod';
import { UpstreamError } from '../../../http/upstream-error';

const id = z.string().min(1).max(200);
const amount = z.string().regex(/^\d{1,40}(?:\.\d{1,40})?$/);
const text = z.string().nullish();

/** Response of `GET /v2/account/quote/fixed-rate`. Valid for fifteen seconds. */
export const fixedRateQuote = z.object({
  quoteToken: z.string().min(1),
  inputCurrency: z.string(),
  inputAmount: amount,
  outputCurrency: z.string(),
  outputAmount: amount,
  /** Informational: the amounts are net of fees. */
  appliedFees: z.array(z.object({ type: z.string(), amount: z.string(), currency: z.string() })).nullish(),
});

/** Bank account for a USD deposit. The guide does not name the fields: these names are assumed. */
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
  /** ISO 8601. */
  expiration: z.unknown().optional(),
  bankInstructions: bankInstructions.nullish(),
});

/** A ticket. Only the blocks of its rail are present. */
export const apiTicket = z.object({
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
export type ApiTicket = z.infer<typeof apiTicket>;

export const oneTicket = z.object({ ticket: apiTicket });
export const ticketList = z.object({ tickets: z.array(apiTicket), cursor: text });

export const accountInfo = z.object({
  accountInfo: z.object({ identityStatus: z.string() }),
  wallets: z.array(z.object({ walletAddress: z.string(), chain: z.string() })),
});

/** Balances of every currency of the ramp. Values are parsed one by one, so that an unreadable one does not fail the others. */
export const balances = z.object({ balances: z.record(z.string(), z.unknown()) });
export const balance = amount;

const used = z.object({ usedFiatIn: amount, usedFiatOut: amount });
/** Limits of every currency of the ramp. Only those of supported currencies are parsed further. */
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
export type ApiAttempt = z.infer<typeof attempt>;
export const attemptList = z.object({ attempts: z.array(attempt) });
export const oneAttempt = z.object({ attempt });

export const metadata = z.object({ brlUnlocked: z.boolean().nullish(), usdUnlocked: z.boolean().nullish() });

const usdBeneficiary = z.object({ id, bankAccountNumber: text, bankRoutingNumber: text });
/** The guide does not show the list: accepts a bare array, or an array under one name. */
export const usdBeneficiaries = z.union([
  z.array(usdBeneficiary),
  z
    .record(z.string(), z.unknown())
    .transform((body) => z.array(usdBeneficiary).safeParse(Object.values(body).find(Array.isArray)).data ?? z.NEVER)
    .pipe(z.array(usdBeneficiary)),
]);

export const publicKeyResponse = z.object({ publicKey: z.string().min(1) });

export const webhookList = z.object({ webhooks: z.array(z.object({ id, url: z.string() })) });

/** Parses a response. @throws UpstreamError when it does not match the schema */
export function readResponse<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  // Only the paths of zod's issues: the messages may repeat personal data.
  const paths = parsed.error.issues.map(({ path }) => path.join('.')).join(', ');
  throw new UpstreamError(`its response has an unexpected form (${paths})`, { kind: 'unreadable' });
}
