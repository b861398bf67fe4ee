import { ALICE, BOB, BRL, CUSTOMER, offerFor, quoteRequest } from '../../test/swaps/swap-world';
import type { Transaction } from '../persistence/database';
import type { RampRail } from '../ramps/ramp-provider';
import type { QuoteRequest } from '../venues/quote-provider';
import type { ActionPlan } from './action-plan';
import type { Executable } from './execution/executable';
import { openedResources, startSwapAction } from './start-swap-action';

const DEADLINE = new Date('2026-11-21T12:00:00Z');
const HOUR_MS = 3_600_000;

/** The action plan for an executable. */
async function planOf(executable: Partial<Executable>): Promise<ActionPlan> {
  const plans: ActionPlan[] = [];
  const startAction = (_tx: Transaction, plan: ActionPlan) => Promise.resolve(void plans.push(plan));
  const request = quoteRequest();
  const order = {
    actionId: 'action',
    customerId: CUSTOMER,
    quoteId: 'quote',
    request,
    offer: offerFor(request),
    deadline: DEADLINE,
    sender: ALICE,
    recipient: BOB,
    webhookUrl: undefined,
    isQuoteOnly: false,
    amountInUsd: undefined,
    amountOutUsd: undefined,
    feeLines: [],
  };
  const deps = { startAction, providers: [], actionExpirySeconds: 86_400 };
  await startSwapAction({ deps, tx: {} as Transaction }, order, executable as Executable);
  return plans[0]!;
}

const payment = (rail: RampRail): Partial<Executable> => ({
  kind: 'payment',
  chainId: BRL.chainId,
  rail,
  reference: 'ticket',
});

it('expires an action a day after its quote', async () => {
  expect((await planOf(payment('PIX'))).expiresAt.getTime() - DEADLINE.getTime()).toBe(24 * HOUR_MS);
});

it.each(['WIRE', 'ACH'] as const)('waits for a payment by %s for the transit time of banks', async (rail) => {
  const { expiresAt } = await planOf(payment(rail));
  expect(expiresAt.getTime() - DEADLINE.getTime()).toBe(8 * 24 * HOUR_MS);
});

it('counts transfers between chains and at ramps as deliveries, and quotes alone as drafts', () => {
  const swap = quoteRequest();
  const otherChain = { ...swap.destination, chainId: swap.origin.chainId + 1 };
  const bridge = { origin: swap.origin, destination: otherChain };
  const rail = { ...swap.destination, kind: 'fiat' as const };
  const payout = { origin: swap.origin, destination: rail, fiat: { name: 'ramp' } as QuoteRequest['fiat'] };
  const swaps: readonly Parameters<typeof openedResources>[0][] = [swap, bridge, payout];
  const [executed, quoted] = [{ isQuoteOnly: false }, { isQuoteOnly: true }];
  const delivered = ['openActions', 'openDeliveries'];
  expect(swaps.map((each) => openedResources(each, executed))).toEqual([['openActions'], delivered, delivered]);
  expect(swaps.map((each) => openedResources(each, quoted))).toEqual([['openDrafts'], ['openDrafts'], delivered]);
});
