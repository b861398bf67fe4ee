import { spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPlannerProcess, type PlannerProcess } from '../../gateway/federation/planner/planner-process';
import { silentLog, type SmallSubgraph, supergraphOf } from './small-graph';

const people: SmallSubgraph = {
  sdl: `type Query { me: Person hits: [Hit!] }
    union Hit = A | B type A { person: Person } type B { person: Person }
    type Person @key(fields: "id") { id: ID! friend: Person }`,
  resolvers: {},
};
const labels: SmallSubgraph = {
  sdl: 'type Query { other: Int } type Person @key(fields: "id") { id: ID! label(lang: String): String }',
  resolvers: {},
};

/** Longer than a busy machine takes for any document but the heavy one, also in a process that has just started. */
const LONG_MS = 60_000;
/** A valid document that crashes the planner unless it is rewritten. */
const FATAL = '{ hits { ... on A { person { label } } ... on B { person { label(lang: "e") } } } }';
const HEAVY_CODE = "'{ ' + Array.from({ length: 8000 }, (_, i) => `a${i}: me { friend { label } }`).join(' ') + ' }'";
const HEAVY = `{ ${Array.from({ length: 8000 }, (_, i) => `a${i}: me { friend { label } }`).join(' ')} }`;

describe('the planner process', () => {
  let planner: PlannerProcess;
  const supergraphSdl = supergraphOf({ people, labels });
  beforeEach(() => {
    planner = createPlannerProcess({ supergraphSdl, deadlineMs: LONG_MS, maxWaitingPerCaller: 10, log: silentLog });
  });
  afterEach(() => planner.close());

  it('fails for the sender of a fatal document, and for no other caller', async () => {
    const waiting = ['{ me { id } }', FATAL, '{ me { label } }', '{ other }'].map((document) => planner.plan(document));
    const outcomes = await Promise.allSettled(waiting);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { code: 'DOCUMENT_REFUSED' } });
    const { pid } = planner;
    await expect(planner.plan(FATAL)).rejects.toMatchObject({ code: 'DOCUMENT_REFUSED' });
    expect(planner.pid).toBe(pid); // the cached refusal: not planned again
  });

  it('plans a document again 10 seconds after it crashed the planner, and 20 seconds after the second time', async () => {
    let now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now);
    const pidAfterFatal = async () => {
      await expect(planner.plan(FATAL)).rejects.toMatchObject({ code: 'DOCUMENT_REFUSED' });
      await planner.plan('{ other }');
      return planner.pid;
    };
    const first = await pidAfterFatal();
    now += 9_000;
    expect(await pidAfterFatal()).toBe(first);
    now += 1_001;
    const second = await pidAfterFatal();
    expect(second).not.toBe(first);
    now += 19_000;
    expect(await pidAfterFatal()).toBe(second);
    now += 1_001;
    expect(await pidAfterFatal()).not.toBe(second);
    clock.mockRestore();
  });

  it('serves its callers in turns', async () => {
    const finished: string[] = [];
    const plan = (document: string, caller: string) =>
      planner.plan(document, caller).then(() => finished.push(`${caller} ${document}`));
    const busy = Array.from({ length: 8 }, (_, i) => plan(`{ a${i}: other }`, 'busy'));
    await Promise.all([...busy, plan('{ other }', 'quiet')]);
    expect(finished.indexOf('quiet { other }')).toBeLessThanOrEqual(2);
  });

  it('refuses a caller that has too many documents waiting, and no other caller', async () => {
    const waiting = Array.from({ length: 12 }, (_, i) => planner.plan(`{ a${i}: other }`, 'busy'));
    const outcomes = Promise.allSettled(waiting);
    await expect(planner.plan('{ other }', 'quiet')).resolves.toContain('Fetch');
    const refused = (await outcomes).filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]).toMatchObject({
      reason: {
        code: 'RATE_LIMIT_EXCEEDED',
        details: { retryAfter: 1, limit: 'waitingDocuments', maximum: 10 },
      },
    });
  });

  it('is killed and replaced when a document takes too long', async () => {
    const deadlines = [40];
    const plannerWithShortTimeout = createPlannerProcess({
      supergraphSdl,
      // Read for each document: only the first one has little time.
      get deadlineMs() {
        return deadlines.shift() ?? LONG_MS;
      },
      maxWaitingPerCaller: 10,
      log: silentLog,
    });
    const [heavy, light] = await Promise.allSettled([
      plannerWithShortTimeout.plan(HEAVY),
      plannerWithShortTimeout.plan('{ other }'),
    ]);
    expect(heavy).toMatchObject({ reason: { code: 'DOCUMENT_REFUSED' } });
    expect(light.status).toBe('fulfilled');
    plannerWithShortTimeout.close();
  });

  it('is replaced when another process killed it', async () => {
    await planner.plan('{ other }');
    process.kill(planner.pid ?? 0, 'SIGKILL');
    await sleep(50);
    await expect(planner.plan('{ me { id } }')).resolves.toContain('Fetch');
  });

  it('plans a document again that it was planning when another process killed it', async () => {
    await planner.plan('{ other }');
    const planned = planner.plan('{ me { id } }');
    process.kill(planner.pid ?? 0, 'SIGKILL');
    await expect(planned).resolves.toContain('Fetch');
  });

  it('ends on close, and rejects waiting callers', async () => {
    const waiting = planner.plan('{ other }');
    planner.close();
    await expect(waiting).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await expect(planner.plan('{ other }')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it.each([
    ['idle', "'{ other }'"],
    ['planning', HEAVY_CODE],
  ])('ends with the gateway while it is %s', async (_state, document) => {
    const child = path.join(__dirname, '../../gateway/federation/planner/planner-child.cjs');
    const gateway = spawn(process.execPath, [
      '-e',
      `const child = require('node:child_process').fork(${JSON.stringify(child)}, [], { env: {} });
       child.once('message', () => { child.send({ document: ${document} }); setTimeout(() => console.log(child.pid), 20); });
       child.send({ supergraph: ${JSON.stringify(supergraphSdl)} });`,
    ]);
    const pid = await new Promise<number>((resolve) =>
      gateway.stdout.once('data', (data: Buffer) => resolve(Number.parseInt(data.toString(), 10))),
    );
    expect(isRunning(pid)).toBe(true);
    gateway.kill('SIGKILL');
    while (isRunning(pid)) await sleep(10);
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
