import { z } from 'zod';
import type { EmulatorResponse } from '../http-emulator';

/** The configurable behaviour of the emulator. `POST /_control` changes it at any time. */
export interface Control {
  /** Time after which a deposit by Pix or bank arrives by itself; `null` for deposits by request only. */
  autoPayMs: number | null;
  /** As in the real sandbox, Pix deposits of more than 1,000 reais never arrive. */
  sandboxCap: boolean;
  /** Duration of each further step of a ticket. */
  stepMs: number;
  /** Payouts to banks. */
  payouts: 'pay' | 'fail' | 'hang';
  /** Pix keys whose bank refuses payouts. */
  refusedPixKeys: string[];
  /** Time after which a pending attempt is approved by itself; `null` for decisions by request only. */
  autoApproveMs: number | null;
  brlPerUsdc: string;
  /** Pix keys that do not exist. */
  unknownPixKeys: string[];
  /** Status of responses to look-ups of Pix keys. */
  pixLookupStatus: number | null;
  expiredBrCodes: string[];
  /** Status of responses to quotes with a BR Code. */
  brCodeStatus: number | null;
  /** Delay of every response below `/v2`. */
  delayMs: number;
  /** Status of every response below `/v2`, without processing the request. */
  failWith: number | null;
  /** Number of next tickets whose responses are lost. */
  loseResponses: number;
  /** False sends no callbacks. */
  callbacks: boolean;
  limits: { maxFiatIn: string; maxFiatOut: string };
  /**
   * Names of sub-accounts, opened or not, whose attempts are decided and whose deposits arrive by request only. Names are
   * added one by one with `POST /_control/holds/:name`: tests that share the emulator do not replace each other's.
   */
  heldAccounts: string[];
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
  loseResponses: 0,
  callbacks: true,
  limits: { maxFiatIn: '500000.00', maxFiatOut: '500000.00' },
  heldAccounts: [],
  ...steps,
});

const milliseconds = z.int().min(0);
const status = z.int().min(400).max(599).nullable();
const decimal = z.string().regex(/^\d{1,15}(\.\d{1,6})?$/);

const controlSchema = z
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
    loseResponses: z.int().min(0),
    callbacks: z.boolean(),
    limits: z.strictObject({ maxFiatIn: decimal, maxFiatOut: decimal }),
  })
  .partial();

export function applyControl(control: Control, body: unknown): EmulatorResponse {
  const parsed = controlSchema.safeParse(body);
  if (!parsed.success) return { status: 400, body: { message: z.prettifyError(parsed.error) } };
  const given = Object.entries(parsed.data).filter(([, value]) => value !== undefined);
  Object.assign(control, Object.fromEntries(given));
  return { body: control };
}
