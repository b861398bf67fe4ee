import { z } from 'zod';
import type { EmulatorAnswer } from '../http-emulator';

/**
 * How transfers end that are open or yet to come.
 *
 * - `COMPLETED`: the relayer pays what was bought.
 * - `PARTIAL`: it pays another token.
 * - `REFUNDED`: it pays back what it got, on the origin chain.
 * - `FAILED`: nobody gets anything.
 * - `HANG`: nothing happens, until the outcome is another one.
 */
export const OUTCOMES = ['COMPLETED', 'PARTIAL', 'REFUNDED', 'FAILED', 'HANG'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Ways in which a quote cheats: where the tokens go, what is called, who is to be allowed, what is sent along. */
export const CHEATS = ['recipient', 'target', 'spender', 'value'] as const;

const transferOrder = z.strictObject({ outcome: z.enum(OUTCOMES).optional(), delayMs: z.int().min(0).optional() });
const quoteOrder = z.strictObject({
  cheat: z.enum(CHEATS).nullable().optional(),
  /** How much worse prices are than those of the pools. */
  worseBps: z.int().min(0).max(9999).optional(),
});

export interface Control {
  outcome: Outcome;
  /** How long transfers wait for their end, in milliseconds. */
  delayMs: number;
  cheat: (typeof CHEATS)[number] | null;
  worseBps: number;
}

export const newControl = (delayMs: number): Control => ({ outcome: 'COMPLETED', delayMs, cheat: null, worseBps: 0 });

export const steerTransfers = (control: Control, body: unknown): EmulatorAnswer => steer(control, transferOrder, body);
export const steerQuotes = (control: Control, body: unknown): EmulatorAnswer => steer(control, quoteOrder, body);

function steer(control: Control, order: z.ZodType<Partial<Record<keyof Control, unknown>>>, body: unknown) {
  const parsed = order.safeParse(body);
  if (!parsed.success) return { status: 400, body: { message: z.prettifyError(parsed.error) } };
  const given = Object.entries(parsed.data).filter(([, value]) => value !== undefined);
  Object.assign(control, Object.fromEntries(given));
  return { body: control };
}
