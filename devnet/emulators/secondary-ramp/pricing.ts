import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ApiError } from './api-error';
import type { Control } from './control';
import { CENT, microOf, numberOf, ONE } from './micro-amount';
import { type Quote, timestamp, type World } from './world';

const end = z.object({ currency: z.string(), payment_rail: z.string(), amount: z.unknown().optional() });
const order = z.object({ type: z.enum(['on_ramp', 'off_ramp']), sender: end, receiver: end });
type Order = z.output<typeof order>;

/** Fiat for one USDC, in millionths. The ramp's share is in it. */
const RATES = {
  on_ramp: { BRL: 5_553_700n, USD: 1_000_000n },
  off_ramp: { BRL: 5_441_300n, USD: 1_000_000n },
} as const;
/** Flat, in fiat: outgoing US wires cost 15 dollars. */
const FEES = { on_ramp: { BRL: 0n, USD: 0n }, off_ramp: { BRL: 0n, USD: 15n * ONE } } as const;
const RAILS = { BRL: 'pix', USD: 'wire' } as const;
const VALID_MS = 300_000;

interface QuoteParts {
  readonly world: World;
  readonly control: Control;
  readonly networks: ReadonlySet<string>;
}

/** `POST /v1/quote` */
export function makeQuote({ world, control, networks }: QuoteParts, body: unknown): object {
  const parsed = order.safeParse(body);
  if (!parsed.success) throw new ApiError(422, 'invalid_body', z.prettifyError(parsed.error));
  const request = parsed.data;
  const currency = fiatOf(request, networks);
  const [sent, received] = priceSides(request, currency);
  const fiat = request.type === 'on_ramp' ? sent : received;
  if (fiat < BigInt(control.minimum) * ONE || fiat > BigInt(control.maximum) * ONE) {
    throw new ApiError(422, 'amount_out_of_range', 'the amount is below the minimum or above the maximum');
  }
  const quote: Quote = {
    id: randomUUID(),
    type: request.type,
    used: false,
    sender: { currency: request.sender.currency, payment_rail: request.sender.payment_rail, amount: sent.toString() },
    receiver: {
      currency: request.receiver.currency,
      payment_rail: request.receiver.payment_rail,
      amount: received.toString(),
    },
    quotation: String(numberOf(RATES[request.type][currency])),
    fee: FEES[request.type][currency].toString(),
    expiresAt: Date.now() + VALID_MS,
  };
  world.quotes.push(quote);
  world.save();
  return quoteBody(quote, currency);
}

function quoteBody({ id, type, sender, receiver, quotation, fee, expiresAt }: Quote, currency: string): object {
  const amount = numberOf(BigInt(fee));
  return {
    id,
    type,
    commercial_quotation: quotation,
    expires_at: timestamp(expiresAt),
    sender: { ...sender, amount: numberOf(BigInt(sender.amount)) },
    receiver: { ...receiver, amount: numberOf(BigInt(receiver.amount)) },
    fees: amount === 0 ? [] : [{ type: 'payout_fee', amount, currency }],
  };
}

function fiatOf({ type, sender, receiver }: Order, networks: ReadonlySet<string>): 'BRL' | 'USD' {
  const [fiat, token] = type === 'on_ramp' ? [sender, receiver] : [receiver, sender];
  if (fiat.currency !== 'BRL' && fiat.currency !== 'USD')
    throw new ApiError(422, 'invalid_currency', 'unknown currency');
  if (fiat.payment_rail !== RAILS[fiat.currency])
    throw new ApiError(422, 'invalid_payment_rail', 'unknown payment rail');
  if (token.currency !== 'USDC' || !networks.has(token.payment_rail)) {
    throw new ApiError(422, 'invalid_payment_rail', 'unknown currency or blockchain');
  }
  return fiat.currency;
}

/** The amounts of sender and receiver, in millionths; fiat in whole cents. */
function priceSides({ type, sender, receiver }: Order, currency: 'BRL' | 'USD'): readonly [bigint, bigint] {
  if ((sender.amount === undefined) === (receiver.amount === undefined)) {
    throw new ApiError(422, 'invalid_amount', 'amount has to be on one side');
  }
  const [rate, fee] = [RATES[type][currency], FEES[type][currency]];
  if (type === 'on_ramp') {
    if (receiver.amount === undefined) {
      const sent = microOf(sender.amount, 2);
      return [sent, ((sent - fee) * ONE) / rate];
    }
    const received = microOf(receiver.amount, 6);
    return [up(up(received * rate, ONE), CENT) * CENT + fee, received];
  }
  if (receiver.amount === undefined) {
    const sent = microOf(sender.amount, 6);
    return [sent, ((sent * rate) / ONE / CENT) * CENT - fee];
  }
  const received = microOf(receiver.amount, 2);
  return [up((received + fee) * ONE, rate), received];
}

const up = (numerator: bigint, denominator: bigint): bigint => (numerator + denominator - 1n) / denominator;
