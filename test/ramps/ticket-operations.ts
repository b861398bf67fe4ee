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

/** What happens to a ticket. */
export type Operation =
  | { readonly does: 'ask'; readonly answer: 'told' | 'lost' | 'refused'; readonly callers: number }
  | { readonly does: 'pay' }
  | { readonly does: 'expire' }
  | { readonly does: 'say'; readonly state: StateName | 'nothing' }
  | { readonly does: 'look'; readonly replicas: number }
  | { readonly does: 'call back'; readonly event: number }
  | { readonly does: 'let the lease end' };

export const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('ask' as const), answer: answers(), callers: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.constant({ does: 'pay' as const }) },
  { weight: 1, arbitrary: fc.constant({ does: 'expire' as const }) },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('say' as const), state: states() }) },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('look' as const), replicas: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('call back' as const), event: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.constant({ does: 'let the lease end' as const }) },
);

function answers() {
  return fc.constantFrom('told' as const, 'told' as const, 'lost' as const, 'refused' as const);
}
function states(): fc.Arbitrary<StateName | 'nothing'> {
  return fc.constantFrom(...(Object.keys(STATES) as StateName[]), 'processing', 'processing', 'nothing');
}

/** A life that ends so, beside those that chance makes. */
export const endingIn = (state: StateName): [Operation[]] => [
  [
    ...[{ does: 'ask', answer: 'told', callers: 1 } as const, { does: 'pay' } as const],
    ...(['processing', state] as const).flatMap((each): Operation[] => [
      { does: 'say', state: each },
      { does: 'look', replicas: 2 },
    ]),
  ],
];

/** A life that goes on after its action was given up. */
export const LATE: [Operation[]] = [
  [
    ...[{ does: 'ask', answer: 'told', callers: 1 } as const, { does: 'expire' } as const, { does: 'pay' } as const],
    ...(['refunding', 'refunded'] as const).flatMap((state): Operation[] => [
      { does: 'say', state },
      { does: 'look', replicas: 2 },
    ]),
  ],
];
