import { z } from 'zod';
import type { ChainTable } from '../chains/chain-table';
import type { PayoutDestination, Ticket, TicketRequest } from './ramp-provider';
import { USD_PAYMENT_METHODS } from './usd-beneficiary';
import { amountField } from '../persistence/json-fields';

/** Binds sealed data to its action: the vault does not open it for another one. */
export const ticketSealContext = (actionId: string): string => `RampTicket:${actionId}`;

const amount = amountField;
const date = z.iso.datetime().transform((text) => new Date(text));
/** JSON omits properties that are `undefined`. */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.optional().transform((value) => value as z.output<Schema> | undefined);

const beneficiary = z.object({
  alias: z.string(),
  accountNumber: z.string(),
  routingNumber: z.string(),
  bankName: z.string(),
  name: z.string(),
  street: z.array(z.string()),
  city: z.string(),
  state: z.string(),
  postalCode: z.string(),
  country: z.string(),
  description: optional(z.string()),
  paymentMethod: z.enum(USD_PAYMENT_METHODS),
});
const payout = z.discriminatedUnion('rail', [
  z.object({ rail: z.literal('PIX'), pixKey: z.string(), thirdParty: z.boolean() }),
  z.object({ rail: z.literal('ACH'), beneficiary }),
  z.object({ rail: z.literal('WIRE'), beneficiary }),
]);

/** Parses a payout that was stored sealed. */
export const parseStoredPayout = (json: unknown): PayoutDestination => payout.parse(json);

const token = z.object({
  chainId: z.number(),
  address: z.string(),
  symbol: z.string(),
  name: z.string(),
  decimals: z.number(),
  logoURI: optional(z.string()),
});
const currency = z.enum(['BRL', 'USD']);
const request = z.object({
  route: z.object({
    direction: z.enum(['onRamp', 'offRamp']),
    currency,
    rail: z.enum(['PIX', 'ACH', 'WIRE']),
    token,
    chainId: z.number(),
  }),
  quote: z.object({
    amountIn: amount,
    amountOut: amount,
    expiresAt: date,
    execution: z.unknown(),
    fees: z.array(z.object({ label: z.string(), asset: z.enum(['in', 'out']), amount })),
  }),
  account: z.object({ accountId: z.string(), kycUserId: z.string() }),
  externalId: z.string(),
  walletAddress: z.string(),
  memo: optional(z.string()),
  payout: optional(payout),
  refundAddress: optional(z.string()),
  least: optional(amount),
});

/** The request for a ticket as JSON. Personal data. */
export function ticketRequestJson({ route, quote, minAmountOut, ...rest }: TicketRequest): z.input<typeof request> {
  const { chain, ...ends } = route;
  const { amountIn, amountOut, expiresAt, execution, fees } = quote;
  return {
    ...(rest as Omit<z.input<typeof request>, 'route' | 'quote' | 'least'>),
    least: minAmountOut?.toString(),
    route: { ...ends, chainId: chain.chainId },
    quote: {
      amountIn: amountIn.toString(),
      amountOut: amountOut.toString(),
      expiresAt: expiresAt.toISOString(),
      execution,
      fees: fees.map((fee) => ({ ...fee, amount: fee.amount.toString() })),
    },
  };
}

/** Parses a stored request, with the chain from the current table. Stored requests have `least` for `minAmountOut`. */
export function parseTicketRequest(json: unknown, chains: ChainTable): TicketRequest {
  const { route, least: minAmountOut, ...rest } = request.parse(json);
  const { chainId, ...ends } = route;
  return { ...rest, minAmountOut, route: { ...ends, chain: chains.get(chainId) } };
}

const bank = z.object({
  bankName: z.string(),
  routingNumber: z.string(),
  accountNumber: z.string(),
  beneficiary: z.string(),
  memo: optional(z.string()),
});
const ticket = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('payIn'),
    ticketId: z.string(),
    instructions: z.object({
      pix: optional(z.object({ copyPaste: z.string() })),
      wire: optional(bank),
      ach: optional(bank),
      expiresAt: optional(date),
      amount: z.object({ amountRaw: z.string(), currency }),
    }),
  }),
  z.object({ kind: z.literal('payOut'), ticketId: z.string(), depositAddress: z.string(), amount }),
]);

/** The ramp's ticket as JSON. */
export function ticketJson(opened: Ticket): z.input<typeof ticket> {
  if (opened.kind === 'payOut') return { ...opened, amount: opened.amount.toString() };
  const { instructions } = opened;
  return { ...opened, instructions: { ...instructions, expiresAt: instructions.expiresAt?.toISOString() } };
}

export const parseTicket = (json: unknown): Ticket => ticket.parse(json);
