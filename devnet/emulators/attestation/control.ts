import type { Hex } from 'viem';
import { z } from 'zod';
import { DevnetError } from '../../devnet-error';
import type { EmulatorHandler, EmulatorRoutes } from '../http-emulator';
import type { FeeSchedule } from './fee-schedule';
import { DELAY_REASONS, type DelayReason, type Entry, type MessageBook } from './message-book';

/** Behaviour set through the control routes, for one transaction or for all. */
export interface ControlState {
  isHeld(transactionHash: Hex): boolean;
  delayOf(transactionHash: Hex): DelayReason | undefined;
  hold(transactionHash: Hex | undefined): void;
  release(transactionHash: Hex | undefined): void;
  delay(transactionHash: Hex | undefined, reason: DelayReason): void;
  reset(): void;
}

const ALL = 'all';

export function createControlState(): ControlState {
  const held = new Set<string>();
  const delays = new Map<string, DelayReason>();
  return {
    isHeld: (transactionHash) => held.has(ALL) || held.has(transactionHash),
    delayOf: (transactionHash) => delays.get(transactionHash) ?? delays.get(ALL),
    hold: (transactionHash) => void held.add(transactionHash ?? ALL),
    release(transactionHash) {
      if (transactionHash === undefined) held.clear();
      else held.delete(transactionHash);
    },
    delay: (transactionHash, reason) => void delays.set(transactionHash ?? ALL, reason),
    reset() {
      held.clear();
      delays.clear();
    },
  };
}

const hex = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/)
  .transform((text) => text.toLowerCase() as Hex);
const rate = z.number().min(0).max(10_000);

const anyTransaction = z.object({ transactionHash: hex.optional() }).default({});
const oneTransaction = z.object({ transactionHash: hex });
const delay = z.object({ transactionHash: hex.optional(), reason: z.enum(DELAY_REASONS) });
const substitution = z.object({ transactionHash: hex, message: hex });
const fees = z.object({
  fast: rate.optional(),
  standard: rate.optional(),
  route: z.object({ source: z.int(), destination: z.int() }).optional(),
});

export interface ControlDeps {
  readonly control: ControlState;
  readonly fees: FeeSchedule;
  readonly book: MessageBook;
  /** The burns of a transaction on whichever chain it is. */
  readonly find: (transactionHash: Hex) => Promise<readonly Entry[]>;
}

/** The routes that tests and demonstrations use; they respond with 204. */
export function controlRoutes(deps: ControlDeps): EmulatorRoutes {
  const { control, book } = deps;
  const first = async (transactionHash: Hex): Promise<Entry> => {
    const [entry] = await deps.find(transactionHash);
    if (entry === undefined) throw new DevnetError(`${transactionHash} burned nothing`);
    return entry;
  };
  return {
    'POST /_control/fees': controlRoute(fees, ({ route, ...change }) => deps.fees.change(change, route)),
    'POST /_control/hold': controlRoute(anyTransaction, ({ transactionHash }) => control.hold(transactionHash)),
    'POST /_control/release': controlRoute(anyTransaction, ({ transactionHash }) => control.release(transactionHash)),
    'POST /_control/delay': controlRoute(delay, ({ transactionHash, reason }) =>
      control.delay(transactionHash, reason),
    ),
    'POST /_control/expire': controlRoute(oneTransaction, async ({ transactionHash }) =>
      book.expire(await first(transactionHash)),
    ),
    'POST /_control/substitute': controlRoute(substitution, async ({ transactionHash, message }) =>
      book.substitute(await first(transactionHash), message),
    ),
    'POST /_control/reset': () => {
      control.reset();
      deps.fees.reset();
      book.clear();
      return { status: 204 };
    },
  };
}

const controlRoute =
  <Body>(schema: z.ZodType<Body>, apply: (body: Body) => Promise<void> | void): EmulatorHandler =>
  async ({ body }) => {
    const parsed = schema.safeParse(body);
    if (!parsed.success) return { status: 400, body: { message: parsed.error.message } };
    await apply(parsed.data);
    return { status: 204 };
  };
