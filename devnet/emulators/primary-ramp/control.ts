import { z } from 'zod';
import type { EmulatorAnswer } from '../http-emulator';

/** What whoever steers the ramp has ordered. All of it may be changed at any time by `POST /_control`. */
export interface Control {
  /** Pix and bank payments come in by themselves, so long after the ticket was opened; `null`: only when ordered. */
  autoPayMs: number | null;
  /** As the real sandbox: Pix payments of more than 1,000 reais never come in. */
  sandboxCap: boolean;
  /** How long each further step of a ticket takes. */
  stepMs: number;
  /** Payouts to banks. */
  payouts: 'pay' | 'fail' | 'hang';
  /** Pix keys whose bank refuses what is paid to them. */
  refusedPixKeys: string[];
  /** Attempts that nobody decides are approved after so long; `null`: they wait. */
  autoApproveMs: number | null;
  brlPerUsdc: string;
  /** Pix keys that nobody has. */
  unknownPixKeys: string[];
  /** Status that the look-up of Pix keys answers with. */
  pixLookupStatus: number | null;
  expiredBrCodes: string[];
  /** Status that quotes for a BR Code are answered with. */
  brCodeStatus: number | null;
  /** Answers to everything below `/v2` come so much later. */
  delayMs: number;
  /** Status that everything below `/v2` is answered with, unheard. */
  failWith: number | null;
  /** So many of the next tickets are opened without anybody hearing of it. */
  loseAnswers: number;
  /** False: nobody is called back. */
  callbacks: boolean;
  limits: { maxFiatIn: string; maxFiatOut: string };
}

export const newControl = (steps: Partial<Control>): Control => ({
  autoPayMs: 2000,
  sandboxCap: false,
  stepMs: 1000,
  payouts: 'pay',
  autoApproveMs: 1000,
  brlPerUsdc: '5.40',
  refusedPixKeys: ['refused@example.com'],
  unknownPixKeys: [],
  pixLookupStatus: null,
  expiredBrCodes: [],
  brCodeStatus: null,
  delayMs: 0,
  failWith: null,
  loseAnswers: 0,
  callbacks: true,
  limits: { maxFiatIn: '500000.00', maxFiatOut: '500000.00' },
  ...steps,
});

const milliseconds = z.int().min(0);
const status = z.int().min(400).max(599).nullable();
const decimal = z.string().regex(/^\d{1,15}(\.\d{1,6})?$/);

const order = z
  .strictObject({
    autoPayMs: milliseconds.nullable(),
    sandboxCap: z.boolean(),
    stepMs: milliseconds,
    payouts: z.enum(['pay', 'fail', 'hang']),
    autoApproveMs: milliseconds.nullable(),
    brlPerUsdc: decimal,
    refusedPixKeys: z.array(z.string()),
    unknownPixKeys: z.array(z.string()),
    pixLookupStatus: status,
    expiredBrCodes: z.array(z.string()),
    brCodeStatus: status,
    delayMs: milliseconds,
    failWith: status,
    loseAnswers: z.int().min(0),
    callbacks: z.boolean(),
    limits: z.strictObject({ maxFiatIn: decimal, maxFiatOut: decimal }),
  })
  .partial();

export function steer(control: Control, body: unknown): EmulatorAnswer {
  const parsed = order.safeParse(body);
  if (!parsed.success) return { status: 400, body: { message: z.prettifyError(parsed.error) } };
  const given = Object.entries(parsed.data).filter(([, value]) => value !== undefined);
  Object.assign(control, Object.fromEntries(given));
  return { body: control };
}
