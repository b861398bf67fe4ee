import { z } from 'zod';
import type { EmulatorAnswer } from '../http-emulator';

const milliseconds = z.int().min(0);
const control = z.strictObject({
  /** How long after a pay-in was asked for its payment comes by itself; 0: never. */
  autoPayMs: milliseconds,
  /** How long a movement is being carried out. */
  settleMs: milliseconds,
  /** How long a review of documents takes until it ends well; 0: until somebody decides. */
  reviewMs: milliseconds,
  /** Payouts to banks fail, and what was sent is given back. */
  failPayouts: z.boolean(),
  /** Pix keys that payouts fail to. */
  refusedPixKeys: z.array(z.string()),
  /** Whether approved customers may use wires. */
  wires: z.boolean(),
  /** Answers to pay-ins and payouts, and to new customers, that are lost from now on, after what was asked for was done. */
  loseAnswers: z.int().min(0),
  /** Answers to every request are that late. */
  delayMs: milliseconds,
  /** Every request of the API is answered with this status. */
  failWith: z.int().min(400).max(599).nullable(),
  /** Answers about these lack the id that every answer has. */
  incomplete: z.array(z.enum(['quote', 'transaction', 'customer'])),
  /** Least and most of a movement, and most of a day, in units of fiat. */
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
  loseAnswers: 0,
  refusedPixKeys: ['refused@example.com'],
  delayMs: 0,
  failWith: null,
  incomplete: [],
  minimum: 1,
  maximum: 150_000,
  daily: 1_000_000,
  ...start,
});

export function steer(current: Control, body: unknown): EmulatorAnswer {
  const order = control.partial().safeParse(body);
  if (!order.success) return { status: 400, body: { message: z.prettifyError(order.error) } };
  Object.assign(current, order.data);
  return { body: current };
}
