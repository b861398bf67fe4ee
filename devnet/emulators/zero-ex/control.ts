import { z } from 'zod';
import type { EmulatorResponse } from '../http-emulator';

/** Manipulated part of a quote: recipient, call target, spender or value. */
export const MANIPULATIONS = ['recipient', 'target', 'spender', 'value'] as const;

const schema = z.strictObject({
  manipulate: z.enum(MANIPULATIONS).nullable().optional(),
  /** Fee of 0x as a share of the bought amount. */
  feeBps: z.int().min(0).max(100).optional(),
  /** How much worse prices are than those of the pools. */
  worseBps: z.int().min(0).max(9999).optional(),
});

export interface Control {
  manipulate: (typeof MANIPULATIONS)[number] | null;
  feeBps: number;
  worseBps: number;
}

export const newControl = (): Control => ({ manipulate: null, feeBps: 0, worseBps: 0 });

export function applyControl(control: Control, body: unknown): EmulatorResponse {
  const parsed = schema.safeParse(body);
  if (!parsed.success) return { status: 400, body: { message: z.prettifyError(parsed.error) } };
  const { manipulate, feeBps, worseBps } = parsed.data;
  if (manipulate !== undefined) control.manipulate = manipulate;
  control.feeBps = feeBps ?? control.feeBps;
  control.worseBps = worseBps ?? control.worseBps;
  return { body: control };
}
