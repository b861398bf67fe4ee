import { z } from 'zod';
import type { EmulatorResponse } from '../http-emulator';

const milliseconds = z.int().min(0);
const control = z.strictObject({
  /** Time after which the deposit of a pay-in arrives by itself; 0 for never. */
  autoPayMs: milliseconds,
  /** Time between deposit and settlement. */
  settleMs: milliseconds,
  /** Time after which a review approves by itself; 0 for decisions by request only. */
  reviewMs: milliseconds,
  /** Payouts to banks fail, and deposits are refunded. */
  failPayouts: z.boolean(),
  /** Pix keys whose payouts fail. */
  refusedPixKeys: z.array(z.string()),
  /** True enables wires for approved customers. */
  wires: z.boolean(),
  /** Number of next responses to pay-ins, payouts and new customers that are lost, after the request was executed. */
  loseResponses: z.int().min(0),
  /** Delay of every response. */
  delayMs: milliseconds,
  /** Status of every response of the API. */
  failWith: z.int().min(400).max(599).nullable(),
  /** Subjects whose responses lack the required id. */
  incomplete: z.array(z.enum(['quote', 'transaction', 'customer'])),
  /** Minimum and maximum of a payment, and maximum of a day, in units of fiat. */
  minimum: z.int().min(0),
  maximum: z.int().min(0),
  daily: z.int().min(0),
});

export type Control = z.output<typeof control>;

export const newControl = (start: Partial<Control>): Control => ({
  autoPayMs: 2000,
  settleMs: 1000,
  reviewMs: 1000,
  failPayouts: false,
  wires: true,
  loseResponses: 0,
  refusedPixKeys: ['refused@example.com'],
  delayMs: 0,
  failWith: null,
  incomplete: [],
  minimum: 1,
  maximum: 150_000,
  daily: 1_000_000,
  ...start,
});

export function applyControl(current: Control, body: unknown): EmulatorResponse {
  const order = control.partial().safeParse(body);
  if (!order.success) return { status: 400, body: { message: z.prettifyError(order.error) } };
  Object.assign(current, order.data);
  return { body: current };
}
