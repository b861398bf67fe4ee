import fc from 'fast-check';
import { expireActions } from '../../src/actions/state/expire-actions';
import type { DeliveryDeps } from '../../src/actions/delivery/delivery-deps';
import { claimDueDeliveries } from '../../src/actions/delivery/claim-deliveries';
import { pollDelivery } from '../../src/actions/delivery/poll-delivery';
import { receiveRampCallback } from '../../src/actions/receive-ramp-callback';
import { TRANSITIONS } from '../../src/actions/state/status-transitions';
import { serviceError } from '../../src/errors/service-error';
import type { ActionStatus } from '../../src/persistence/client/enums';
import { rampDeliveries } from '../../src/venues/ramp/ramp-deliveries';
import { type TicketParameters, openTicketOnce } from '../../src/venues/ramp/ramp-ticket';
import type { RampRoute, TicketState } from '../../src/ramps/ramp-provider';
import { createTicketStore, type TicketStore } from '../../src/ramps/ticket-store';
import { noSolana, noMarket, noServiceWallet } from '../actions/delivery-desk';
import { sampleToken } from '../actions/sample-action';
import { createSampleTransfer, makeDue, recordOrigin, someHash } from '../actions/sample-transfer';
import { TEST_SEED } from '../setup/seed';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { testVault } from '../swaps/fake-fiat';
import { BRL, chains, USDC } from '../swaps/swap-world';
import { LOST, OFF_RAMP, ON_RAMP, orderOf, type ScriptedMoney, scriptedMoney } from './scripted-money';
import { endingIn, LATE, type Model, type Operation, operation, type StateName, STATES } from './ticket-operations';

let test: TestDatabase;
let tickets: TicketStore;
beforeAll(async () => {
  test = await createTestDatabase();
  tickets = createTicketStore({ database: test.database, vault: testVault, chains });
});
afterAll(() => test.drop());

const silent = { info: () => undefined, warn: () => undefined };
/** Trusts the ramp without reading a chain. A delivery becomes due only when a test makes it due. */
const deskOf = ({ id, money: { ramp } }: Real): DeliveryDeps => ({
  database: test.database,
  chains,
  log: silent,
  pollMs: 60_000,
  ...noServiceWallet,
  rpc: { serves: () => false } as unknown as DeliveryDeps['rpc'],
  solana: noSolana,
  ...noMarket,
  sources: new Map([[id, rampDeliveries({ ramp, tickets })]]),
});

const FROM_INITIAL: Readonly<Record<StateName, ActionStatus>> = {
  waitingForPayment: 'INITIAL',
  processing: 'PENDING',
  completed: 'SUCCESS',
  refunding: 'PENDING',
  refunded: 'REFUNDED',
  failed: 'FAILED',
};

function after(status: ActionStatus, reported: StateName): ActionStatus {
  if (status === 'FAILED') return reported === 'refunded' ? 'REFUNDED' : 'FAILED';
  return status === 'INITIAL' || reported !== 'waitingForPayment' ? FROM_INITIAL[reported] : status;
}

const isOver = (status: ActionStatus | undefined): boolean => status === 'SUCCESS' || status === 'REFUNDED';

const isPolled = ({ status, leased, deliveredLate, paid, expired }: Model, isPayIn: boolean): boolean =>
  !isOver(status) && !leased && !deliveredLate && (isPayIn || paid || expired);

/** Applies a poll to the model. */
function modelPoll(model: Model, isPayIn: boolean): void {
  const { status, reported } = model;
  if (status === undefined || !isPolled(model, isPayIn)) return;
  if (reported === 'nothing') {
    model.leased = true;
    return;
  }
  model.deliveredLate = isPayIn && status === 'FAILED' && reported === 'completed';
  model.status = after(status, reported);
}

interface Real {
  readonly money: ScriptedMoney;
  readonly order: TicketParameters;
  readonly id: string;
  readonly isPayIn: boolean;
  /** Maximum number of concurrent polls. */
  maxConcurrent: number;
  /** True when the ramp must refund late deposits. */
  refundsLateDeposit: boolean;
}

function realOf(route: RampRoute): Real {
  const money = scriptedMoney();
  money.openingMs = 0;
  const order = orderOf({ route });
  const initial = { maxConcurrent: 0, refundsLateDeposit: false };
  return { money, order, id: order.ticket.externalId, isPayIn: route.direction === 'onRamp', ...initial };
}

async function runDue(real: Real): Promise<void> {
  const deps = deskOf(real);
  const claimed = await claimDueDeliveries(deps, real.id, 10);
  await Promise.all(claimed.map((delivery) => pollDelivery(deps, delivery)));
}

async function pollNow(real: Real): Promise<void> {
  await makeDue(test.database, real.id);
  await runDue(real);
}

async function openTicket(
  real: Real,
  model: Model,
  { response, callers }: Extract<Operation, { does: 'open' }>,
): Promise<void> {
  const { money, order } = real;
  money.response = response === 'refused' ? serviceError('INVALID_PIX_KEY') : response;
  const one = () => openTicketOnce({ ramp: money.ramp, tickets }, order, AbortSignal.timeout(90_000));
  // After a lost response, other callers wait until it may be requested again.
  const results = await Promise.allSettled(Array.from({ length: response === 'opened' ? callers + 1 : 1 }, one));
  if (model.ticket === 'none' && response === 'lost') {
    expect(results).toMatchObject([{ reason: LOST }]);
    model.ticket = 'unconfirmed';
    await test.database.$executeRaw`
      UPDATE "RampTicket" SET "createdAt" = now() - interval '20 seconds' WHERE "actionId" = ${real.id}::uuid`;
    return;
  }
  if (model.ticket === 'none' && response === 'refused') {
    expect(results).toMatchObject([{ reason: { code: 'INVALID_PIX_KEY' } }]);
    return;
  }
  model.ticket = 'opened';
  expect(results).toEqual(
    results.map(() => ({ status: 'fulfilled', value: expect.objectContaining({ ticketId: money.ticketId() }) })),
  );
  if (model.status !== undefined) return;
  await createAction(real);
  model.status = 'INITIAL';
  if (real.isPayIn) {
    await runDue(real);
    modelPoll(model, true);
  }
}

async function createAction({ id, isPayIn }: Real): Promise<void> {
  const wallet = { chainId: USDC.chainId };
  const provider = id; // Only this test polls it.
  const ends = isPayIn
    ? { chainIdIn: 0, chainIdOut: wallet.chainId, tokenIn: BRL, tokenOut: sampleToken('USDC', wallet) }
    : { chainIdIn: wallet.chainId, chainIdOut: 0, tokenIn: sampleToken('USDC', wallet), tokenOut: BRL };
  const [own, others] = [ends.chainIdIn, ends.chainIdOut];
  await createSampleTransfer(test.database, {
    id,
    provider,
    type: isPayIn ? 'ON_RAMP_FIAT' : 'OFF_RAMP_FIAT',
    ...ends,
    steps: [
      { kind: isPayIn ? 'FIAT_IN' : 'TRANSFER', operator: 'USER', protocol: provider, chainId: own },
      { kind: isPayIn ? 'TRANSFER' : 'FIAT_OUT', operator: 'PROVIDER', protocol: provider, chainId: others },
    ],
    delivery: { provider, ...(isPayIn ? { deposit: { address: 'PIX', reference: 'ticket' } } : {}) },
  });
}

function report(real: Real, state: Model['reported']): void {
  let concurrent = 0;
  real.money.state = async ({ refundsLateDeposit = false }) => {
    expect(refundsLateDeposit).toBe(real.refundsLateDeposit);
    concurrent += 1;
    real.maxConcurrent = Math.max(real.maxConcurrent, concurrent);
    await new Promise((resolve) => setTimeout(resolve, 2));
    concurrent -= 1;
    if (state === 'nothing') throw new Error('the connection was reset');
    const txHash = state === 'completed' || state === 'refunded' ? someHash() : undefined;
    return { status: state, txHash, ...STATES[state] } as TicketState;
  };
}

async function pay(real: Real, model: Model): Promise<void> {
  const isWaitedFor = model.status === 'INITIAL' || (model.expired && model.status === 'FAILED');
  if (real.isPayIn || model.paid || !isWaitedFor) return;
  await recordOrigin(test.database, real.id);
  [model.paid, model.status] = [true, model.expired ? 'FAILED' : 'PENDING'];
  await runDue(real); // A deposit is polled immediately.
  modelPoll(model, real.isPayIn);
}

async function expire(real: Real, model: Model): Promise<void> {
  const { id, isPayIn } = real;
  if (model.status !== 'INITIAL') return;
  await test.database.action.update({ where: { id }, data: { expiresAt: new Date(0) } });
  await test.database.delivery.update({ where: { actionId: id }, data: { lastFailure: null } });
  expect(await expireActions(test)).toBe(1);
  [model.expired, model.status, real.refundsLateDeposit] = [true, 'FAILED', !isPayIn];
  if (isPayIn) return;
  await runDue(real); // The ramp is still polled after the expiry.
  modelPoll(model, isPayIn);
}

async function callBack(real: Real, model: Model, event: number): Promise<void> {
  const { id, isPayIn } = real;
  const hint = { ramp: 'primary', about: 'ticket', ticketId: 'unknown', externalId: id } as const;
  await receiveRampCallback(test, { ...hint, eventId: `${id}-${event}` });
  await runDue(real);
  if (!model.events.has(event)) modelPoll(model, isPayIn);
  model.events.add(event);
}

async function carryOut(real: Real, model: Model, does: Operation): Promise<void> {
  const { id, isPayIn } = real;
  switch (does.does) {
    case 'open':
      return openTicket(real, model, does);
    case 'pay':
      return pay(real, model);
    case 'expire':
      return expire(real, model);
    case 'report':
      report(real, does.state);
      model.reported = does.state;
      return;
    case 'poll':
      // Concurrent polls invalidate the claims of each other. The last poll counts.
      await Promise.all(Array.from({ length: does.replicas }, () => pollNow(real)));
      await pollNow(real);
      modelPoll(model, isPayIn);
      return;
    case 'call back':
      return callBack(real, model, does.event);
    case 'let the lease end':
      await test.database.rampTicket.updateMany({ where: { actionId: id }, data: { leasedUntil: new Date(0) } });
      model.leased = false;
  }
}

const isLegal = (from: ActionStatus, to: ActionStatus): boolean =>
  from === to ||
  Object.values(TRANSITIONS).some(
    (transition) => transition.to === to && (transition.from as readonly string[]).includes(from),
  );

async function check({ id, money, maxConcurrent }: Real, { status }: Model): Promise<void> {
  const action = await test.database.action.findUnique({ where: { id }, include: { steps: true } });
  expect(action?.status).toBe(status);
  expect(money.opened.length).toBeLessThanOrEqual(1);
  expect(maxConcurrent).toBeLessThanOrEqual(1);
  if (action === null) return;
  const events = await test.database.actionEvent.findMany({ where: { actionId: id }, orderBy: { id: 'asc' } });
  for (const [index, { fromStatus, toStatus }] of events.slice(1).entries()) {
    expect(fromStatus).toBe(events[index]!.toStatus);
    expect([fromStatus, toStatus, isLegal(fromStatus!, toStatus)]).toEqual([fromStatus, toStatus, true]);
  }
  const ends = events.filter(
    ({ fromStatus, toStatus }) => fromStatus !== toStatus && toStatus !== 'INITIAL' && toStatus !== 'PENDING',
  );
  const times = (end: ActionStatus): number => ends.filter(({ toStatus }) => toStatus === end).length;
  expect(times('SUCCESS') + times('REFUNDED')).toBe(isOver(status) ? 1 : 0);
  expect(times('FAILED')).toBeLessThanOrEqual(1);
  expect(action.steps.filter(({ kind }) => kind === 'REFUND')).toHaveLength(status === 'REFUNDED' ? 1 : 0);
}

const PARTS = [1, 2, 3];
const DIRECTIONS = [
  ['in', ON_RAMP],
  ['out', OFF_RAMP],
] as const;

it.each(DIRECTIONS.flatMap(([direction, route]) => PARTS.map((part) => [direction, part, route] as const)))(
  'money %s moves once and ends once, for every order of requests, reports and callbacks (%i)',
  async (_, part, route) => {
    const reached = new Set<ActionStatus | undefined>();
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 8, maxLength: 25, size: 'max' }), async (operations) => {
        const real = realOf(route);
        const model: Model = {
          ticket: 'none',
          status: undefined,
          paid: false,
          reported: 'waitingForPayment',
          leased: false,
          expired: false,
          deliveredLate: false,
          events: new Set(),
        };
        report(real, model.reported);
        for (const each of operations) {
          await carryOut(real, model, each);
          await check(real, model);
          reached.add(model.status);
        }
      }),
      { numRuns: 7, seed: TEST_SEED + part, examples: [endingIn('completed'), endingIn('refunded'), LATE] },
    );
    expect([...reached]).toEqual(expect.arrayContaining(['INITIAL', 'PENDING', 'SUCCESS', 'REFUNDED']));
  },
);
