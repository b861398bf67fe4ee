import type { ActionStatus } from '../../src/persistence/client/enums';
import fc from 'fast-check';
import { toBaseUnits } from '../../src/money/base-units';
import type { TicketState } from '../../src/ramps/ramp-provider';

const reason = 'because';
export const STATES = {
  waitingForPayment: {},
  processing: {},
  completed: { endToEndId: 'E1', amountOut: toBaseUnits(99_000_000n) },
  refunding: { reason },
  refunded: { reason },
  failed: { reason },
} as const satisfies Record<TicketState['status'], object>;
export type StateName = keyof typeof STATES;

/** One event in the life of a ticket. */
export type Operation =
  | { readonly does: 'open'; readonly response: 'opened' | 'lost' | 'refused'; readonly callers: number }
  | { readonly does: 'pay' }
  | { readonly does: 'expire' }
  | { readonly does: 'report'; readonly state: StateName | 'nothing' }
  | { readonly does: 'poll'; readonly replicas: number }
  | { readonly does: 'call back'; readonly event: number }
  | { readonly does: 'let the lease end' };

export const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant('open' as const), response: responses(), callers: fc.nat(3) }),
  },
  { weight: 1, arbitrary: fc.constant({ does: 'pay' as const }) },
  { weight: 1, arbitrary: fc.constant({ does: 'expire' as const }) },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('report' as const), state: states() }) },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('poll' as const), replicas: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('call back' as const), event: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.constant({ does: 'let the lease end' as const }) },
);

function responses() {
  return fc.constantFrom('opened' as const, 'opened' as const, 'lost' as const, 'refused' as const);
}
function states(): fc.Arbitrary<StateName | 'nothing'> {
  return fc.constantFrom(...(Object.keys(STATES) as StateName[]), 'processing', 'processing', 'nothing');
}

/** A life with this end, in addition to the random ones. */
export const endingIn = (state: StateName): [Operation[]] => [
  [
    ...[{ does: 'open', response: 'opened', callers: 1 } as const, { does: 'pay' } as const],
    ...(['processing', state] as const).flatMap((each): Operation[] => [
      { does: 'report', state: each },
      { does: 'poll', replicas: 2 },
    ]),
  ],
];

/** A life with a deposit after the expiry of its action. */
export const LATE: [Operation[]] = [
  [
    ...[
      { does: 'open', response: 'opened', callers: 1 } as const,
      { does: 'expire' } as const,
      { does: 'pay' } as const,
    ],
    ...(['refunding', 'refunded'] as const).flatMap((state): Operation[] => [
      { does: 'report', state },
      { does: 'poll', replicas: 2 },
    ]),
  ],
];

/** The expected state, without a database. */
export interface Model {
  ticket: 'none' | 'unconfirmed' | 'opened';
  /** Undefined without an action. */
  status: ActionStatus | undefined;
  paid: boolean;
  /** True when the action expired before a deposit. */
  expired: boolean;
  /** True when a deposit after the failure of the action was delivered. */
  deliveredLate: boolean;
  reported: StateName | 'nothing';
  /** True after a failed poll: its lease blocks other polls. */
  leased: boolean;
  readonly events: Set<number>;
}
