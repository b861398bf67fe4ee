import { setImmediate as turn } from 'node:timers/promises';
import { whenDone } from '../../federation/maybe-promise';
import { createCallerTurns } from './caller-turns';

let clock = 0;
/** Computes for this many milliseconds of the test's clock. */
const compute = (milliseconds: number): void => void (clock += milliseconds);
const create = () => createCallerTurns(() => clock);

/** Takes a turn for each of the times, and computes for it. Returns the times that have been computed, in their order. */
function request(turns: ReturnType<typeof create>, caller: string, times: readonly number[]): readonly number[] {
  const computed: number[] = [];
  for (const time of times) {
    void whenDone(turns.take(caller), () => {
      compute(time);
      computed.push(time);
    });
  }
  return computed;
}

/** Runs the next turns of the event loop, without the pauses. */
async function runTurns(): Promise<void> {
  for (let count = 0; count < 10; count += 1) await turn();
}

/** Runs what continues within the turn of the event loop. */
async function runTicks(): Promise<void> {
  for (let count = 0; count < 200; count += 1) await new Promise<void>((resolve) => process.nextTick(resolve));
}

/** Turns in which `a` has just computed for this many milliseconds, and `b` is active as well. */
async function createPaused(computedMs: number) {
  const turns = create();
  request(turns, 'b', [1]);
  await runTurns();
  request(turns, 'a', [computedMs]);
  await runTurns();
  return turns;
}

// Fakes the pauses alone: tests end them.
beforeEach(() =>
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance', 'Date'] }),
);
afterEach(() => jest.useRealTimers());

describe('the turns of callers', () => {
  it('begin at once, without a promise, for a caller that has not computed', () => {
    expect(create().take('a')).toBeUndefined();
  });

  it('serve short requests at once, however many there are', async () => {
    const turns = create();
    const computed = request(turns, 'a', Array<number>(50).fill(0.01));
    await runTicks();
    expect(computed).toHaveLength(50);
  });

  it('make a caller that computed for long wait, while another is served at once', async () => {
    const turns = await createPaused(20);
    const heavy = request(turns, 'a', [20]);
    await runTurns();
    const other = request(turns, 'b', [1, 1]);
    await runTicks();
    expect([heavy, other]).toEqual([[], [1, 1]]);
    await jest.advanceTimersByTimeAsync(20);
    expect(heavy).toEqual([20]);
  });

  it('let I/O in between the requests of a caller that compute for long', async () => {
    const turns = create();
    const first = request(turns, 'a', [20]);
    await runTicks();
    const others = request(turns, 'a', [20, 20]);
    await runTicks();
    expect([first.length, others.length]).toEqual([1, 0]);
    await turn();
    expect(others).toHaveLength(1);
    await turn();
    expect(others).toHaveLength(2);
  });

  it('resume as many short requests in a turn of the event loop as have time in it', async () => {
    const turns = create();
    request(turns, 'a', [20]);
    await runTicks();
    const others = request(turns, 'a', Array<number>(12).fill(2));
    await turn();
    await runTicks();
    expect(others).toHaveLength(3);
    await runTurns();
    expect(others).toHaveLength(12);
  });

  it('never pause a caller that is alone', async () => {
    const turns = create();
    request(turns, 'a', [20]);
    await runTurns();
    const next = request(turns, 'a', [20]);
    await runTurns();
    expect(next).toEqual([20]);
  });

  it('pause a caller for half a second at most', async () => {
    const turns = await createPaused(900);
    const next = request(turns, 'a', [1]);
    await jest.advanceTimersByTimeAsync(499);
    expect(next).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(next).toEqual([1]);
  });
});
