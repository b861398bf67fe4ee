import { z } from 'zod';
import type { EmulatorResponse } from '../http-emulator';

/**
 * How transfers end that are open or yet to come.
 *
 * - `COMPLETED`: the relayer pays the bought token.
 * - `PARTIAL`: it pays another token.
 * - `REFUNDED`: it pays back what it got, on the origin chain.
 * - `FAILED`: no payment is made.
 * - `HANG`: nothing happens, until the outcome is another one.
 */
export const OUTCOMES = ['COMPLETED', 'PARTIAL', 'REFUNDED', 'FAILED', 'HANG'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Manipulated part of a quote: recipient, call target, spender or value. */
export const MANIPULATIONS = ['recipient', 'target', 'spender', 'value'] as const;

const transferControl = z.strictObject({ outcome: z.enum(OUTCOMES).optional(), delayMs: z.int().min(0).optional() });
const quoteControl = z.strictObject({
  manipulate: z.enum(MANIPULATIONS).nullable().optional(),
  /** How much worse prices are than those of the pools. */
  worseBps: z.int().min(0).max(9999).optional(),
});

export interface Control {
  outcome: Outcome;
  /** How long transfers wait for their end, in milliseconds. */
  delayMs: number;
  manipulate: (typeof MANIPULATIONS)[number] | null;
  worseBps: number;
}

export const newControl = (delayMs: number): Control => ({
  outcome: 'COMPLETED',
  delayMs,
  manipulate: null,
  worseBps: 0,
});

export const controlTransfers = (control: Control, body: unknown): EmulatorResponse =>
  applyControl(control, transferControl, body);
export const controlQuotes = (control: Control, body: unknown): EmulatorResponse =>
  applyControl(control, quoteControl, body);

function applyControl(control: Control, schema: z.ZodType<Partial<Record<keyof Control, unknown>>>, body: unknown) {
  const parsed = schema.safeParse(body);
  if (!parsed.success) return { status: 400, body: { message: z.prettifyError(parsed.error) } };
  const given = Object.entries(parsed.data).filter(([, value]) => value !== undefined);
  Object.assign(control, Object.fromEntries(given));
  return { body: control };
}
