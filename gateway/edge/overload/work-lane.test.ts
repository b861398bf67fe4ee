import fc from 'fast-check';
import { createLifetime } from '../../../src/auth/request-lifetime';
import type { Leave } from './places';
import { createWorkLane, type WorkLane } from './work-lane';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const OPTIONS = { name: 'quotes', concurrency: 4, maxWaiting: 10, maxWaitMs: 2000 };
const unavailable = (retryAfter: unknown = expect.any(Number)) => ({
  reason: expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', details: { retryAfter } }),
});

/** Enters a lane, and records whether the request waits, runs or is refused. */
function enter(lane: WorkLane, caller = 'a', size = 1) {
  const lifetime = createLifetime();
  const entering = lane.enter({ caller, size, lifetime });
  const request = { state: 'waiting' as 'waiting' | 'running' | 'refused', entering, lifetime, leave: (): void => {} };
  entering.then(
    (leave: Leave) => {
      request.state = 'running';
      request.leave = leave;
    },
    () => (request.state = 'refused'),
  );
  return request;
}
type Entered = ReturnType<typeof enter>;
const settle = () => jest.advanceTimersByTimeAsync(0);
const statesOf = (requests: readonly Entered[]) => requests.map(({ state }) => state);
const repeat = <Value>(count: number, create: () => Value): Value[] => Array.from({ length: count }, create);

/** Runs one request that takes this time, so that the lane has a mean time. */
async function spend(lane: WorkLane, milliseconds: number): Promise<void> {
  const request = enter(lane);
  await jest.advanceTimersByTimeAsync(milliseconds);
  request.leave();
}

describe('a lane of work', () => {
  it('runs as many requests as it has places, and the next one when a place is free', async () => {
    const lane = createWorkLane(OPTIONS);
    const requests = repeat(6, () => enter(lane));
    await settle();
    expect(statesOf(requests)).toEqual(['running', 'running', 'running', 'running', 'waiting', 'waiting']);
    requests[1]!.leave();
    requests[1]!.leave(); // counts once
    await settle();
    expect(statesOf(requests).slice(4)).toEqual(['running', 'waiting']);
    expect(lane.state).toEqual({ running: 4, waiting: 1, limit: 4 });
  });

  it('serves waiting customers in turns', async () => {
    const lane = createWorkLane({ ...OPTIONS, concurrency: 1 });
    const first = enter(lane, 'busy');
    const busy = repeat(5, () => enter(lane, 'busy'));
    const quiet = enter(lane, 'quiet');
    await settle();
    first.leave();
    await settle();
    busy[0]!.leave();
    await settle();
    expect([quiet.state, ...statesOf(busy)]).toEqual([
      'running',
      'running',
      'waiting',
      'waiting',
      'waiting',
      'waiting',
    ]);
  });

  it('refuses a customer whose own requests fill the queue, and makes room for another one at its expense', async () => {
    const lane = createWorkLane({ ...OPTIONS, maxWaiting: 4 });
    const busy = repeat(9, () => enter(lane, 'busy'));
    await settle();
    expect(statesOf(busy).slice(4)).toEqual(['waiting', 'waiting', 'waiting', 'waiting', 'refused']);
    const quiet = enter(lane, 'quiet');
    await settle();
    expect([quiet.state, ...statesOf(busy).slice(4)]).toEqual([
      'waiting',
      'waiting',
      'waiting',
      'waiting',
      'refused',
      'refused',
    ]);
    expect(lane.state.waiting).toBe(4);
  });

  it('refuses at once what would not be served in time, with the seconds until a retry', async () => {
    const lane = createWorkLane({ ...OPTIONS, concurrency: 1, maxWaiting: 100 });
    await spend(lane, 900);
    const requests = repeat(4, () => enter(lane));
    await settle();
    expect(statesOf(requests)).toEqual(['running', 'waiting', 'waiting', 'refused']);
    expect(await Promise.allSettled([requests[3]!.entering])).toMatchObject([unavailable(3)]);
    const other = enter(lane, 'other'); // its turn comes after one of the two that wait
    await settle();
    expect(other.state).toBe('waiting');
  });

  it('refuses a request that has waited too long, and never one that runs', async () => {
    const lane = createWorkLane({ ...OPTIONS, concurrency: 1 });
    const [running, waiting] = [enter(lane), enter(lane)];
    await jest.advanceTimersByTimeAsync(2000);
    expect(statesOf([running, waiting])).toEqual(['running', 'refused']);
    expect(await Promise.allSettled([waiting.entering])).toMatchObject([unavailable(2)]);
    await jest.advanceTimersByTimeAsync(100_000);
    expect(running.state).toBe('running');
  });

  it('removes a request whose caller has left', async () => {
    const lane = createWorkLane({ ...OPTIONS, concurrency: 1 });
    const [running, gone, next] = [enter(lane), enter(lane), enter(lane)];
    gone.lifetime.end();
    running.leave();
    await settle();
    running.leave();
    await settle();
    expect(statesOf([gone, next])).toEqual(['refused', 'running']);
  });

  it('has fewer places while the event loop is slow, and gets them back while they are used', async () => {
    const lane = createWorkLane({ ...OPTIONS, concurrency: 20, maxWaiting: 100 });
    const running = repeat(20, () => enter(lane));
    for (let time = 0; time < 20; time += 1) lane.adapt(true);
    await settle();
    expect(lane.state).toEqual({ running: 20, waiting: 0, limit: 3 }); // nothing that runs is interrupted
    running.forEach(({ leave }) => leave());
    for (let time = 0; time < 20; time += 1) lane.adapt(false);
    expect(lane.state.limit).toBe(3); // not used: whether more would be too much is unknown
    const requests = repeat(50, () => enter(lane));
    for (let time = 0; time < 30; time += 1) lane.adapt(false);
    await settle();
    expect(lane.state.limit).toBe(20);
    expect(statesOf(requests).filter((state) => state === 'running')).toHaveLength(20);
  });

  it('runs an operation that is larger than its places by itself', async () => {
    const lane = createWorkLane(OPTIONS);
    const small = enter(lane);
    const large = enter(lane, 'b', 40);
    await settle();
    expect(large.state).toBe('waiting');
    small.leave();
    await settle();
    expect(large.state).toBe('running');
    expect(lane.state.running).toBe(4);
  });

  it('loses no request and exceeds no limit, in whatever order requests come and go', async () => {
    const step = fc.record({
      customer: fc.constantFrom('a', 'b', 'c'),
      size: fc.integer({ min: 1, max: 6 }),
      leaves: fc.nat(5),
      ends: fc.nat(9),
      passes: fc.nat(900),
      isSlow: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const lane = createWorkLane(OPTIONS);
        const all: Entered[] = [];
        for (const { customer, size, leaves, ends, passes, isSlow } of steps) {
          all.push(enter(lane, customer, size));
          await jest.advanceTimersByTimeAsync(passes);
          all.filter(({ state }) => state === 'running')[leaves]?.leave();
          all.filter(({ state }) => state === 'waiting')[ends]?.lifetime.end();
          lane.adapt(isSlow);
          await settle();
          expect(lane.state.running).toBeLessThanOrEqual(OPTIONS.concurrency);
          expect(lane.state.waiting).toBe(all.filter(({ state }) => state === 'waiting').length);
          expect(lane.state.waiting).toBeLessThanOrEqual(OPTIONS.maxWaiting);
        }
        for (let round = 0; round <= all.length; round += 1) {
          all.forEach(({ leave }) => leave());
          await settle();
        }
        expect(lane.state).toMatchObject({ running: 0, waiting: 0 });
        expect(statesOf(all)).not.toContain('waiting');
      }),
      { numRuns: 50 },
    );
  });
});
