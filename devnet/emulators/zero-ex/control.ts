import { z } from 'zod';
import type { EmulatorResponse } from '../http-emulator';

/** Manipulated part of a quote: recipient, call target, spender or value. */
export const CHEATS = ['recipient', 'target', 'spender', 'value'] as const;

const order = z.strictObject({
  cheat: z.enum(CHEATS).nullable().optional(),
  /** Fee of 0x as a share of the bought amount. */
  feeBps: z.int().min(0).max(100).optional(),
  /** How much worse prices are than those of the pools. */
  worseBps: z.int().min(0).max(9999).optional(),
});

export interface Control {
  cheat: (typeof CHEATS)[number] | null;
  feeBps: number;
  worseBps: number;
}

export const newControl = (): Control => ({ cheat: null, feeBps: 0, worseBps: 0 });

export function steer(control: Control, body: unknown): EmulatorResponse {
  const parsed = order.safeParse(body);
  if (!parsed.success) return { status: 400, body: { message: z.prettifyError(parsed.error) } };
  const { cheat, feeBps, worseBps } = parsed.data;
  if (cheat !== undefined) control.cheat = cheat;
  control.feeBps = feeBps ?? control.feeBps;
  control.worseBps = worseBps ?? control.worseBps;
  return { body: control };
}
