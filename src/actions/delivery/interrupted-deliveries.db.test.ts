import fc from 'fast-check';
import { delivered, deskOf, poll, pollWith } from '../../../test/actions/delivery-desk';
import { historyOf } from '../../../test/actions/sample-action';
import {
  BRIDGE,
  createSampleTransfer,
  makeDue,
  scriptedSource,
  type ScriptedSource,
  recordOrigin,
  someHash,
} from '../../../test/actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { toBaseUnits } from '../../money/base-units';
import type { ActionStatus } from '../../persistence/client/enums';
import type { Database } from '../../persistence/database';
import type { DeliveryState } from '../../venues/delivery-source';
import { TRANSITIONS } from '../state/status-transitions';
import { claimDueDeliveries } from './claim-deliveries';
import { pollDelivery } from './poll-delivery';
import { startDeliveries } from './start-deliveries';
import { until } from '../../../test/resilience/until';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const actionOf = (id: string) => test.database.action.findUniqueOrThrow({ where: { id } });
const deliveryOf = (actionId: string) => test.database.delivery.findUniqueOrThrow({ where: { actionId } });
const stepsOf = (actionId: string) =>
  test.database.actionStep.findMany({ where: { actionId }, orderBy: { stepIndex: 'asc' } });
const depsWith = (source: ScriptedSource, database: Database = test.database) => deskOf(database, source);
const pollState = (state: DeliveryState, id: string): Promise<void> => pollWith(test.database, id, { state });

/** How a poll may be interrupted. */
const FAULTS = ['none', 'killed before', 'killed after the request', 'rolled back', 'acknowledgement lost'] as const;
type Fault = (typeof FAULTS)[number];

const STATES = {
  confirmations: { status: 'inFlight', waitingFor: 'CONFIRMATIONS' },
  attestation: { status: 'inFlight', waitingFor: 'ATTESTATION' },
  destination: { status: 'inFlight', waitingFor: 'DESTINATION' },
  completion: { status: 'inFlight', waitingFor: 'COMPLETION' },
  refunding: { status: 'refunding', reason: 'expired' },
  failed: { status: 'failed', reason: 'gave up' },
  delivered: { status: 'delivered' },
  refunded: { status: 'refunded' },
} as const;
type StateName = keyof typeof STATES;

/** A database whose transactions end as the fault says. */
function faulty(fault: Fault): Database {
  const transaction = async (work: (tx: never) => Promise<unknown>): Promise<unknown> => {
    const result = await test.database.$transaction(async (tx) => {
      const inner = await work(tx as never);
      if (fault === 'rolled back') throw new Error('the connection was lost');
      return inner;
    });
    if (fault === 'acknowledgement lost') throw new Error('the connection was lost');
    return result;
  };
  return new Proxy(test.database, {
    get: (target, name) => (name === '$transaction' ? transaction : Reflect.get(target, name)),
  });
}

async function interruptedPoll(source: ScriptedSource, id: string, fault: Fault): Promise<void> {
  await makeDue(test.database, id);
  const deps = depsWith(source, faulty(fault));
  for (const delivery of await claimDueDeliveries(deps, BRIDGE, 100)) {
    if (fault === 'killed before') return;
    const died = AbortSignal.abort();
    if (fault === 'killed after the request') await pollDelivery(deps, delivery, died);
    else await pollDelivery(deps, delivery);
  }
}

/** The status of a transfer after a provider has reported this state, by the rules alone. */
function after(status: ActionStatus, name: StateName): ActionStatus {
  if (status === 'PENDING' && name === 'delivered') return 'SUCCESS';
  if (status === 'PENDING' && name === 'failed') return 'FAILED';
  return (status === 'PENDING' || status === 'FAILED') && name === 'refunded' ? 'REFUNDED' : status;
}

const isLegal = (from: ActionStatus, to: ActionStatus): boolean =>
  from === to ||
  Object.values(TRANSITIONS).some(
    (transition) => transition.to === to && transition.from.some((each) => each === from),
  );

describe('whatever a provider reports, in whatever order, and whichever replica is killed meanwhile', () => {
  it('a transfer takes legal transitions to a single end', async () => {
    const said = fc.record({
      name: fc.constantFrom(...(Object.keys(STATES) as StateName[])),
      fault: fc.constantFrom(...FAULTS),
      replicas: fc.integer({ min: 1, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(said, { minLength: 1, maxLength: 8 }), async (sequence) => {
        const { id } = await createSampleTransfer(test.database);
        await recordOrigin(test.database, id);
        const source = scriptedSource();
        let expected: ActionStatus = 'PENDING';
        for (const { name, fault, replicas } of sequence) {
          const terms = { txHash: someHash(), amount: toBaseUnits(99_000_000n), partial: false, chainId: 31337 };
          source.respondWith({ ...terms, ...STATES[name], reason: 'because' } as unknown as DeliveryState);
          await interruptedPoll(source, id, fault);
          await Promise.all(Array.from({ length: replicas }, () => poll(depsWith(source), id)));
          expected = after(expected, name);
          expect((await actionOf(id)).status).toBe(expected);
        }
        const events = await test.database.actionEvent.findMany({ where: { actionId: id }, orderBy: { id: 'asc' } });
        const moves = events.slice(1).map(({ fromStatus, toStatus }) => [fromStatus!, toStatus] as const);
        expect(moves.every(([from, to], index) => isLegal(from, to) && from === events[index]!.toStatus)).toBe(true);
        const ends = moves.filter(([from, to]) => from !== to && (to === 'SUCCESS' || to === 'REFUNDED'));
        expect(ends).toHaveLength(expected === 'SUCCESS' || expected === 'REFUNDED' ? 1 : 0);
        const refunds = (await stepsOf(id)).filter(({ kind }) => kind === 'REFUND');
        expect(refunds).toHaveLength(expected === 'REFUNDED' ? 1 : 0);
      }),
      { numRuns: 15 },
    );
  });

  it('a stale response is discarded once another replica has polled the delivery', async () => {
    const { id } = await createSampleTransfer(test.database);
    await recordOrigin(test.database, id);
    const slow = scriptedSource();
    const deps = depsWith(slow);
    await makeDue(test.database, id);
    const claim = (await claimDueDeliveries(deps, BRIDGE, 100)).find(({ actionId }) => actionId === id);
    slow.respondWith(async () => {
      await pollState({ status: 'inFlight', waitingFor: 'ATTESTATION' }, id);
      return { status: 'failed', reason: 'a stale response' };
    });
    await pollDelivery(deps, claim!);
    expect(await actionOf(id)).toMatchObject({ status: 'PENDING', substatus: 'WAITING_ATTESTATION' });
  });
});

describe('the polling loop', () => {
  const isAt = async (id: string, status: ActionStatus): Promise<boolean> => (await actionOf(id)).status === status;

  it('polls each transfer once at a time, on however many replicas, until all have arrived', async () => {
    const ids = await Promise.all(
      Array.from({ length: 12 }, async () => (await createSampleTransfer(test.database)).id),
    );
    const running = new Set<string>();
    let overlapped = false;
    const source = scriptedSource();
    source.follow = async ({ actionId, checkpoint }) => {
      overlapped ||= running.has(actionId);
      running.add(actionId);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running.delete(actionId);
      const polls = typeof checkpoint === 'number' ? checkpoint : 0;
      return polls < 3 ? { status: 'inFlight', waitingFor: 'ATTESTATION', checkpoint: polls + 1 } : delivered();
    };
    const replicas = [1, 2, 3].map(() => startDeliveries({ ...depsWith(source), pollMs: 5 }));
    for (const id of ids) await recordOrigin(test.database, id);
    await until('all transfers have arrived', async () =>
      (await Promise.all(ids.map((id) => isAt(id, 'SUCCESS')))).every(Boolean),
    );
    await Promise.all(replicas.map((replica) => replica.stop()));
    expect(overlapped).toBe(false);
    for (const id of ids) expect((await historyOf(test.database, id)).at(-1)).toBe('PENDING>SUCCESS');
  });

  it('is not delayed by another provider that never responds, and releases its leases when it stops', async () => {
    const stuck = scriptedSource();
    stuck.respondWith(() => new Promise<never>(() => undefined));
    const well = scriptedSource();
    well.respondWith(delivered());
    const slow = await Promise.all(
      Array.from({ length: 10 }, () => createSampleTransfer(test.database, { provider: 'slow' })),
    );
    const quick = await createSampleTransfer(test.database, { provider: 'quick' });
    for (const { id } of [...slow, quick]) await recordOrigin(test.database, id);
    const sources = new Map([
      ['slow', stuck],
      ['quick', well],
    ]);
    const loop = startDeliveries({ ...depsWith(stuck), sources });
    await until('the transfer has arrived', () => isAt(quick.id, 'SUCCESS'));
    await until('the other one is polled', () => stuck.polled.length > 0);
    await loop.stop();
    for (const { id } of slow) {
      const { nextPollAt, leasedUntil } = await deliveryOf(id);
      expect(nextPollAt!.getTime()).toBeLessThanOrEqual(Date.now());
      expect(leasedUntil).toBeNull();
    }
  });
});
