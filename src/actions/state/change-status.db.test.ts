import fc from 'fast-check';
import { createSampleAction, someCalldata } from '../../../test/actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import type { ActionStatus } from '../../persistence/client/enums';
import { addEvent, changeStatus, changeSubstatus } from './change-status';
import { TRANSITIONS, type TransitionName } from './status-transitions';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const TRANSITION_NAMES = Object.keys(TRANSITIONS) as TransitionName[];
const isLegal = (transition: TransitionName, from: ActionStatus): boolean =>
  (TRANSITIONS[transition].from as readonly ActionStatus[]).includes(from);

/** The statuses that the action must have had, computed from the table of transitions without a database. */
interface Model {
  readonly path: [ActionStatus, ...ActionStatus[]];
}

interface Real {
  readonly actionId: string;
}

const statusOf = ({ path }: Model): ActionStatus => path.at(-1) ?? path[0];

const tryTransition = (actionId: string, transition: TransitionName): Promise<boolean> =>
  test.database.$transaction((tx) => changeStatus(tx, actionId, { transition }));

const eventsOf = (actionId: string) =>
  test.database.actionEvent.findMany({ where: { actionId }, orderBy: { id: 'asc' } });

/** As `tryTransition`, with one round trip: the change is a single statement. */
const changeOnce = (actionId: string, transition: TransitionName): Promise<boolean> =>
  changeStatus(test.database, actionId, { transition });

/** One tracker changes the status of the action. The change succeeds exactly when the table allows it. */
class ChangeStatus implements fc.AsyncCommand<Model, Real> {
  constructor(private readonly transition: TransitionName) {}
  readonly check = (): boolean => true;

  async run(model: Model, { actionId }: Real): Promise<void> {
    const legal = isLegal(this.transition, statusOf(model));
    expect(await changeOnce(actionId, this.transition)).toBe(legal);
    if (legal) model.path.push(TRANSITIONS[this.transition].to);
  }

  readonly toString = (): string => this.transition;
}

/** Several trackers change the status of the action concurrently. The result is one legal path, with one event for each success. */
class ChangeStatusAtOnce implements fc.AsyncCommand<Model, Real> {
  constructor(private readonly transitions: readonly TransitionName[]) {}
  readonly check = (): boolean => true;

  async run(model: Model, { actionId }: Real): Promise<void> {
    const moved = await Promise.all(this.transitions.map((transition) => changeOnce(actionId, transition)));
    const succeeded = this.transitions.filter((_, index) => moved[index]);
    const events = (await eventsOf(actionId)).slice(model.path.length);
    expect(events).toHaveLength(succeeded.length);
    for (const { fromStatus, toStatus } of events) {
      expect(fromStatus).toBe(statusOf(model));
      const transition = succeeded.find((name) => TRANSITIONS[name].to === toStatus && isLegal(name, statusOf(model)));
      expect(transition).toBeDefined();
      model.path.push(toStatus);
    }
  }

  readonly toString = (): string => `at once(${this.transitions.join(', ')})`;
}

/** Expects that the action took this path, with one event for each change. */
async function expectPath(actionId: string, model: Model): Promise<void> {
  const { status, events } = await test.database.action.findUniqueOrThrow({
    where: { id: actionId },
    select: { status: true, events: { orderBy: { id: 'asc' } } },
  });
  expect(status).toBe(statusOf(model));
  expect(events.map(({ toStatus }) => toStatus)).toEqual(model.path);
  expect(events.map(({ fromStatus }) => fromStatus)).toEqual([null, ...model.path.slice(0, -1)]);
}

/** Makes an action as it was created. A new one for each run takes most of the time of a property. */
const restart = (actionId: string) =>
  test.database.$transaction([
    test.database.actionEvent.deleteMany({ where: { actionId, fromStatus: { not: null } } }),
    test.database.actionStep.updateMany({ where: { actionId }, data: { status: 'PENDING' } }),
    test.database.action.updateMany({
      where: { id: actionId },
      data: { status: 'INITIAL', substatus: 'WAITING_ORIGIN', failureReason: null, finishedAt: null },
    }),
  ]);

const anyTransition = fc.constantFrom(...TRANSITION_NAMES);

describe('a change of the status', () => {
  it('happens only by a transition of the table, and once, however many trackers try', async () => {
    const commands = fc.commands(
      [
        anyTransition.map((transition) => new ChangeStatus(transition)),
        fc
          .array(anyTransition, { minLength: 2, maxLength: 4 })
          .map((transitions) => new ChangeStatusAtOnce(transitions)),
      ],
      { maxCommands: 12 },
    );
    const { id: actionId } = await createSampleAction(test.database);
    await fc.assert(
      fc.asyncProperty(commands, async (run) => {
        await restart(actionId);
        const model: Model = { path: ['INITIAL'] };
        await fc.asyncModelRun(() => ({ model, real: { actionId } }), run);
        await expectPath(actionId, model);
      }),
      { numRuns: 60 },
    );
  });

  it('has one winner among twenty trackers that see the same transaction', async () => {
    const { id } = await createSampleAction(test.database);
    const moved = await Promise.all(Array.from({ length: 20 }, () => tryTransition(id, 'originSeen')));
    expect(moved.filter(Boolean)).toHaveLength(1);
    expect(await eventsOf(id)).toHaveLength(2);
  });

  it('records when the origin was seen, when the action ended, and why it failed', async () => {
    const { id } = await createSampleAction(test.database, {
      calls: [{ sender: '0xaa', target: '0xbb', data: someCalldata() }],
    });
    await tryTransition(id, 'originSeen');
    const pending = await test.database.action.findUniqueOrThrow({ where: { id } });
    expect(pending).toMatchObject({ initialDate: expect.any(Date), finishedAt: null });
    const failure = { transition: 'failed', substatus: 'OUT_OF_GAS', failureReason: 'ran out of gas' } as const;
    await test.database.$transaction((tx) => changeStatus(tx, id, { ...failure, detail: { txHash: '0x1' } }));
    const failed = await test.database.action.findUniqueOrThrow({
      where: { id },
      include: { calls: true, steps: true },
    });
    expect(failed).toMatchObject({ status: 'FAILED', substatus: 'OUT_OF_GAS', failureReason: 'ran out of gas' });
    expect(failed.initialDate).toEqual(pending.initialDate);
    expect(failed.finishedAt).toEqual(expect.any(Date));
    expect(failed.calls).toMatchObject([{ open: true, watchedUntil: expect.any(Date) }]);
    expect(failed.steps).toMatchObject([{ status: 'SKIPPED' }]);
    expect((await eventsOf(id)).at(-1)).toMatchObject({ detail: { txHash: '0x1' }, substatus: 'OUT_OF_GAS' });
  });

  it('watches the calls of an action whose origin transaction has reverted, and is not final yet', async () => {
    const calls = [{ sender: '0xaa', target: '0xbb', data: someCalldata() }];
    for (const reverted of [true, false]) {
      const { id } = await createSampleAction(test.database, { calls });
      await tryTransition(id, 'originSeen');
      await test.database.actionStep.updateMany({ where: { actionId: id }, data: { status: 'SUBMITTED', reverted } });
      await tryTransition(id, 'failed');
      const watched = await test.database.actionCall.findMany({ where: { actionId: id } });
      expect(watched).toMatchObject([{ open: reverted, watchedUntil: reverted ? expect.any(Date) : null }]);
    }
  });

  it('closes the calls of an action whose origin transaction succeeded, and of one that has succeeded itself', async () => {
    const calls = [{ sender: '0xaa', target: '0xbb', data: someCalldata() }];
    for (const transition of ['failed', 'completed', 'refunded'] as const) {
      const { id } = await createSampleAction(test.database, { calls });
      await tryTransition(id, 'originSeen');
      await test.database.actionStep.updateMany({ where: { actionId: id }, data: { status: 'CONFIRMED' } });
      await tryTransition(id, transition);
      const closed = await test.database.actionCall.findMany({ where: { actionId: id } });
      expect(closed).toMatchObject([{ open: false, watchedUntil: null }]);
    }
  });

  it('after a failure makes the action live again: its steps wait, its calls are open, nothing states a failure', async () => {
    const calls = [{ sender: '0xaa', target: '0xbb', data: someCalldata() }];
    const { id } = await createSampleAction(test.database, { calls, isDraft: true });
    const expiry = { transition: 'failedBeforeOrigin', substatus: 'EXPIRED', failureReason: 'too late' } as const;
    await test.database.$transaction((tx) => changeStatus(tx, id, expiry));
    await tryTransition(id, 'originSeenLate');
    const include = { calls: true, steps: true };
    const action = await test.database.action.findUniqueOrThrow({ where: { id }, include });
    expect(action).toMatchObject({ status: 'PENDING', isDraft: false, failureReason: null, finishedAt: null });
    expect(action.steps).toMatchObject([{ status: 'PENDING', failureReason: null }]);
    expect(action.calls).toMatchObject([{ open: true, watchedUntil: null }]);
  });

  it('leaves no event when the transaction around it is rolled back', async () => {
    const { id } = await createSampleAction(test.database);
    const failing = test.database.$transaction(async (tx) => {
      await changeStatus(tx, id, { transition: 'originSeen' });
      throw new Error('the outbox could not be written');
    });
    await expect(failing).rejects.toThrow('outbox');
    expect(await eventsOf(id)).toHaveLength(1);
    expect(await test.database.action.findUniqueOrThrow({ where: { id } })).toMatchObject({ status: 'INITIAL' });
  });
});

describe('a change of the substatus', () => {
  it('happens to pending actions alone, and once', async () => {
    const { id } = await createSampleAction(test.database);
    const change = () =>
      test.database.$transaction((tx) => changeSubstatus(tx, id, { substatus: 'WAITING_DESTINATION' }));
    expect(await change()).toBe(false);
    await tryTransition(id, 'originSeen');
    expect(await Promise.all([change(), change(), change()]).then((all) => all.filter(Boolean))).toHaveLength(1);
    expect((await eventsOf(id)).at(-1)).toMatchObject({ fromStatus: 'PENDING', toStatus: 'PENDING' });
  });

  it('happens to a failed action where that is required, and states the facts', async () => {
    const { id } = await createSampleAction(test.database);
    await tryTransition(id, 'failedBeforeOrigin');
    const change = { substatus: 'OUT_OF_GAS', detail: { block: 7 } } as const;
    expect(await changeSubstatus(test.database, id, change)).toBe(false);
    expect(await changeSubstatus(test.database, id, { ...change, status: 'FAILED' })).toBe(true);
    expect(await test.database.action.findUniqueOrThrow({ where: { id } })).toMatchObject({
      status: 'FAILED',
      substatus: 'OUT_OF_GAS',
    });
    const event = { fromStatus: 'FAILED', toStatus: 'FAILED', substatus: 'OUT_OF_GAS', detail: { block: 7 } };
    expect((await eventsOf(id)).at(-1)).toMatchObject(event);
  });
});

describe('an event without a change', () => {
  it('has the status and substatus of the action, and the facts if there are any', async () => {
    const { id } = await createSampleAction(test.database);
    const before = await test.database.action.findUniqueOrThrow({ where: { id } });
    await addEvent(test.database, id, { txHash: '0x1' });
    await addEvent(test.database, id, undefined);
    const { status, substatus } = await test.database.action.findUniqueOrThrow({ where: { id } });
    expect({ status, substatus }).toEqual({ status: before.status, substatus: before.substatus });
    const event = { fromStatus: status, toStatus: status, substatus };
    expect((await eventsOf(id)).slice(1)).toMatchObject([
      { ...event, detail: { txHash: '0x1' } },
      { ...event, detail: null },
    ]);
  });
});

describe('what ends with an action', () => {
  it('is its waiting steps where it fails or is refunded, and nothing where it succeeds', async () => {
    for (const [transition, status] of [
      ['failed', 'SKIPPED'],
      ['refunded', 'SKIPPED'],
      ['completed', 'PENDING'],
    ] as const) {
      const { id } = await createSampleAction(test.database);
      await tryTransition(id, 'originSeen');
      await tryTransition(id, transition);
      expect(await test.database.actionStep.findMany({ where: { actionId: id } })).toMatchObject([{ status }]);
    }
  });

  it('is not the draft that was never sent: an action whose origin was seen is none', async () => {
    for (const [transition, isDraft] of [
      ['failedBeforeOrigin', true],
      ['originSeen', false],
    ] as const) {
      const { id } = await createSampleAction(test.database, { isDraft: true });
      await tryTransition(id, transition);
      expect(await test.database.action.findUniqueOrThrow({ where: { id } })).toMatchObject({ isDraft });
    }
  });
});
