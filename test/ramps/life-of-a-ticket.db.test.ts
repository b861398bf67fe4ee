import fc from 'fast-check';
import { expireActions } from '../../src/actions/state/expire-actions';
import type { DeliveryDeps } from '../../src/actions/delivery/delivery-deps';
import { claimDueDeliveries } from '../../src/actions/delivery/claim-deliveries';
import { pollDelivery } from '../../src/actions/delivery/poll-delivery';
import { takeRampCallback } from '../../src/actions/take-ramp-callback';
import { TRANSITIONS } from '../../src/actions/state/transitions';
import { serviceError } from '../../src/errors/service-error';
import type { ActionStatus } from '../../src/persistence/client/enums';
import { rampDeliveries } from '../../src/venues/ramp/ramp-deliveries';
import { type TicketParameters, openTicketOnce } from '../../src/venues/ramp/ramp-ticket';
import type { RampRoute, TicketState } from '../../src/ramps/ramp-provider';
import { createTicketStore, type TicketStore } from '../../src/ramps/ticket-store';
import { noSolana, noMarket } from '../actions/delivery-desk';
import { sampleToken } from '../actions/sample-action';
import { createSampleTransfer, makeDue, recordOrigin, someHash } from '../actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { testVault } from '../swaps/fake-fiat';
import { BRL, chains, USDC } from '../swaps/swap-world';
import { LOST, OFF_RAMP, ON_RAMP, orderOf, type ScriptedMoney, scriptedMoney } from './scripted-money';
import { endingIn, LATE, type Operation, operation, type StateName, STATES } from './ticket-operations';

let test: TestDatabase;
let tickets: TicketStore;
beforeAll(async () => {
  test = await createTestDatabase();
  tickets = createTicketStore({ database: test.database, vault: testVault, chains });
});
afterAll(() => test.drop());

const silent = { info: () => undefined, warn: () => undefined };
/** Nobody reads the chains here: the ramp's word counts. A delivery comes due when it is woken, never by itself. */
const deskOf = ({ id, money: { ramp } }: Real): DeliveryDeps => ({
  database: test.database,
  chains,
  log: silent,
  pollMs: 60_000,
  serviceWallet: undefined,
  minCompletionUsd: 1,
  rpc: { serves: () => false } as unknown as DeliveryDeps['rpc'],
  solana: noSolana,
  ...noMarket,
  sources: new Map([[id, rampDeliveries({ ramp, tickets })]]),
});

/** What must be, without a database. */
interface Model {
  ticket: 'none' | 'unheard of' | 'opened';
  /** `undefined` while there is no action. */
  status: ActionStatus | undefined;
  paid: boolean;
  /** It was given up before anything was paid. */
  expired: boolean;
  /** What was paid after the action had failed was delivered all the same. */
  deliveredLate: boolean;
  says: StateName | 'nothing';
  /** A look failed, and nobody may look. */
  leased: boolean;
  readonly events: Set<number>;
}

const FROM_INITIAL: Readonly<Record<StateName, ActionStatus>> = {
  waitingForPayment: 'INITIAL',
  processing: 'PENDING',
  completed: 'SUCCESS',
  refunding: 'PENDING',
  refunded: 'REFUNDED',
  failed: 'FAILED',
};

function after(status: ActionStatus, says: StateName): ActionStatus {
  if (status === 'FAILED') return says === 'refunded' ? 'REFUNDED' : 'FAILED';
  return status === 'INITIAL' || says !== 'waitingForPayment' ? FROM_INITIAL[says] : status;
}

const isOver = (status: ActionStatus | undefined): boolean => status === 'SUCCESS' || status === 'REFUNDED';

const isPolled = ({ status, leased, deliveredLate, paid, expired }: Model, isPayIn: boolean): boolean =>
  !isOver(status) && !leased && !deliveredLate && (isPayIn || paid || expired);

/** What a look makes of an action. */
function modelPoll(model: Model, isPayIn: boolean): void {
  const { status, says } = model;
  if (status === undefined || !isPolled(model, isPayIn)) return;
  if (says === 'nothing') {
    model.leased = true;
    return;
  }
  model.deliveredLate = isPayIn && status === 'FAILED' && says === 'completed';
  model.status = after(status, says);
}

interface Real {
  readonly money: ScriptedMoney;
  readonly order: TicketParameters;
  readonly id: string;
  readonly isPayIn: boolean;
  /** Looks at the ramp that went on at once, at the most. */
  together: number;
  /** From now on the ramp may pay nothing out. */
  refundsLateDeposit: boolean;
}

function realOf(route: RampRoute): Real {
  const money = scriptedMoney();
  money.openingMs = 0;
  const order = orderOf({ route });
  const once = { together: 0, refundsLateDeposit: false };
  return { money, order, id: order.ticket.externalId, isPayIn: route.direction === 'onRamp', ...once };
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
  { answer, callers }: Extract<Operation, { does: 'ask' }>,
): Promise<void> {
  const { money, order } = real;
  money.response = answer === 'refused' ? serviceError('INVALID_PIX_KEY') : answer;
  const one = () => openTicketOnce({ ramp: money.ramp, tickets }, order, AbortSignal.timeout(20_000));
  // While an answer is lost, everybody waits for it: the others ask when it is late.
  const asked = await Promise.allSettled(Array.from({ length: answer === 'told' ? callers + 1 : 1 }, one));
  if (model.ticket === 'none' && answer === 'lost') {
    expect(asked).toMatchObject([{ reason: LOST }]);
    model.ticket = 'unheard of';
    await test.database.$executeRaw`
      UPDATE "RampTicket" SET "createdAt" = now() - interval '20 seconds' WHERE "actionId" = ${real.id}::uuid`;
    return;
  }
  if (model.ticket === 'none' && answer === 'refused') {
    expect(asked).toMatchObject([{ reason: { code: 'INVALID_PIX_KEY' } }]);
    return;
  }
  model.ticket = 'opened';
  expect(asked).toEqual(
    asked.map(() => ({ status: 'fulfilled', value: expect.objectContaining({ ticketId: money.ticketId() }) })),
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
  const provider = id; // looked at by nobody else
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

function say(real: Real, state: Model['says']): void {
  let looking = 0;
  real.money.state = async ({ refundsLateDeposit = false }) => {
    expect(refundsLateDeposit).toBe(real.refundsLateDeposit);
    looking += 1;
    real.together = Math.max(real.together, looking);
    await new Promise((resolve) => setTimeout(resolve, 2));
    looking -= 1;
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
  await runDue(real); // what was paid is looked at at once
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
  await runDue(real); // from now on the ramp is asked now and then
  modelPoll(model, isPayIn);
}

async function callBack(real: Real, model: Model, event: number): Promise<void> {
  const { id, isPayIn } = real;
  const hint = { ramp: 'primary', about: 'ticket', ticketId: 'unknown', externalId: id } as const;
  await takeRampCallback(test, { ...hint, eventId: `${id}-${event}` });
  await runDue(real);
  if (!model.events.has(event)) modelPoll(model, isPayIn);
  model.events.add(event);
}

async function carryOut(real: Real, model: Model, does: Operation): Promise<void> {
  const { id, isPayIn } = real;
  switch (does.does) {
    case 'ask':
      return openTicket(real, model, does);
    case 'pay':
      return pay(real, model);
    case 'expire':
      return expire(real, model);
    case 'say':
      say(real, does.state);
      model.says = does.state;
      return;
    case 'look':
      // Of looks at once, each spoils the other's claim: the last one counts.
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
  Object.values(TRANSITIONS).some((edge) => edge.to === to && (edge.from as readonly string[]).includes(from));

async function check({ id, money, together }: Real, { status }: Model): Promise<void> {
  const action = await test.database.action.findUnique({ where: { id }, include: { steps: true } });
  expect(action?.status).toBe(status);
  expect(money.opened.length).toBeLessThanOrEqual(1);
  expect(together).toBeLessThanOrEqual(1);
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

it.each([
  ['in', ON_RAMP],
  ['out', OFF_RAMP],
])(
  'money %s: whatever is asked, said and called back in whatever order, it moves once and ends once',
  async (_, route) => {
    const reached = new Set<ActionStatus | undefined>();
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 8, maxLength: 25, size: 'max' }), async (operations) => {
        const real = realOf(route);
        const model: Model = {
          ticket: 'none',
          status: undefined,
          paid: false,
          says: 'waitingForPayment',
          leased: false,
          expired: false,
          deliveredLate: false,
          events: new Set(),
        };
        say(real, model.says);
        for (const each of operations) {
          await carryOut(real, model, each);
          await check(real, model);
          reached.add(model.status);
        }
      }),
      { numRuns: 15, interruptAfterTimeLimit: 15_000, examples: [endingIn('completed'), endingIn('refunded'), LATE] },
    );
    expect([...reached]).toEqual(expect.arrayContaining(['INITIAL', 'PENDING', 'SUCCESS', 'REFUNDED']));
  },
);
