import { parseUnits } from 'viem';
import { z } from 'zod';
import { STOCK } from '../../stocks/stock-contracts';
import type { EmulatorResponse } from '../http-emulator';

/**
 * Mode of the solver, for open and future orders.
 *
 * - `settle`: orders are settled as soon as the price allows it.
 * - `late`: as `settle`, but only `lateMs` after they were posted.
 * - `never`: orders are accepted and stay open.
 */
export const SOLVER_MODES = ['settle', 'late', 'never'] as const;

/** Halts of the stock, by the code that the issuer refuses with. */
export const HALTS = ['ASSET_PAUSED', 'ASSET_CLOSED_FOR_SESSION', 'ASSET_REDEEM_ONLY', 'MARKET_PAUSED'] as const;

/** State of the market, which `POST /_control` changes. */
export interface Market {
  /** Dollars for one token, as decimal text. */
  price: string;
  /** Price of hard attestations in place of `price`; null for none. */
  attestedPrice: string | null;
  /** The time at which the exchange is, in place of the real one; null keeps it open around the clock. */
  clock: string | null;
  /** Dates without trading, such as `2026-12-25`, while the clock is set. */
  holidays: readonly string[];
  halt: (typeof HALTS)[number] | null;
  /** False when the issuer refuses hard attestations. */
  attests: boolean;
  /** Tokens that may be bought or sold in one order, as decimal text; null without a limit. */
  maxTokens: string | null;
  solver: (typeof SOLVER_MODES)[number];
  lateMs: number;
  /** False when the order book refuses new orders. */
  acceptsOrders: boolean;
}

export const newMarket = (): Market => ({
  price: STOCK.price,
  attestedPrice: null,
  clock: null,
  holidays: [],
  halt: null,
  attests: true,
  maxTokens: null,
  solver: 'settle',
  lateMs: 5000,
  acceptsOrders: true,
});

const DECIMAL = /^(?:0|[1-9][0-9]{0,11})(?:\.[0-9]{1,18})?$/;
const decimal = z.string().regex(DECIMAL);
const changes = z.strictObject({
  price: decimal.optional(),
  attestedPrice: decimal.nullable().optional(),
  clock: z.iso.datetime().nullable().optional(),
  holidays: z.array(z.iso.date()).optional(),
  halt: z.enum(HALTS).nullable().optional(),
  attests: z.boolean().optional(),
  maxTokens: decimal.nullable().optional(),
  solver: z.enum(SOLVER_MODES).optional(),
  lateMs: z.int().min(0).optional(),
  acceptsOrders: z.boolean().optional(),
});

/** Changes the market. `publish` gets a new price before the response. */
export async function controlMarket(
  market: Market,
  body: unknown,
  publish: (price: bigint) => Promise<void>,
): Promise<EmulatorResponse> {
  const parsed = changes.safeParse(body);
  if (!parsed.success) return { status: 400, body: { message: z.prettifyError(parsed.error) } };
  const given = Object.entries(parsed.data).filter(([, value]) => value !== undefined);
  Object.assign(market, Object.fromEntries(given));
  if (parsed.data.price !== undefined) await publish(priceOf(market));
  return { body: market };
}

/** Dollars for one token, with 18 decimals. */
export const priceOf = ({ price }: Pick<Market, 'price'>): bigint => parseUnits(price, 18);
export const attestedPriceOf = (market: Pick<Market, 'price' | 'attestedPrice'>): bigint =>
  parseUnits(market.attestedPrice ?? market.price, 18);

export type Session = 'premarket' | 'regular' | 'postmarket' | 'overnight';

/** Sessions in minutes of New York's day, both ends included. There are pauses between them. */
const SESSIONS: readonly { readonly session: Session; readonly from: number; readonly to: number }[] = [
  { session: 'overnight', from: 0, to: 3 * 60 + 55 },
  { session: 'premarket', from: 4 * 60 + 1, to: 9 * 60 + 29 },
  { session: 'regular', from: 9 * 60 + 31, to: 15 * 60 + 59 },
  { session: 'postmarket', from: 16 * 60 + 1, to: 19 * 60 + 59 },
  { session: 'overnight', from: 20 * 60 + 5, to: 24 * 60 - 1 },
];

const NEW_YORK = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  weekday: 'short',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** The session of a market at its time; `undefined` while it is closed. */
export function sessionOf({ clock, holidays }: Pick<Market, 'clock' | 'holidays'>): Session | undefined {
  if (clock === null) return 'regular';
  const { weekday, date, minutes } = newYorkTime(clock);
  const open = SESSIONS.find(({ from, to }) => minutes >= from && minutes <= to);
  return holidays.includes(date) || isWeekend(weekday, minutes) ? undefined : open?.session;
}

function newYorkTime(clock: string): { readonly weekday: string; readonly date: string; readonly minutes: number } {
  const parts = new Map(NEW_YORK.formatToParts(new Date(clock)).map(({ type, value }) => [type, value]));
  const read = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  const minutes = Number.parseInt(read('hour'), 10) * 60 + Number.parseInt(read('minute'), 10);
  return { weekday: read('weekday'), date: `${read('year')}-${read('month')}-${read('day')}`, minutes };
}

/** The week begins on Sunday evening and ends on Friday evening. */
function isWeekend(weekday: string, minutes: number): boolean {
  const isEvening = minutes >= 20 * 60;
  return weekday === 'Sat' || (weekday === 'Sun' && !isEvening) || (weekday === 'Fri' && isEvening);
}

/** Why the issuer does not trade now, as its error code; `undefined` when it does. */
export function refusalOf(market: Market, side: 'BUY' | 'SELL'): string | undefined {
  if (sessionOf(market) === undefined) return 'MARKET_CLOSED';
  if (market.halt === 'ASSET_REDEEM_ONLY') return side === 'BUY' ? market.halt : undefined;
  return market.halt ?? undefined;
}
