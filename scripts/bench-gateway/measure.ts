import { InvariantError } from '../../src/errors/invariant-error';
import { type Design, DESIGNS } from './designs';
import { responseOf, load } from './load';
import type { MeasuredOperation } from './operations';
import type { ServerProcess } from './server-process';

/** CPU time per request in µs, by design: one entry for each round. */
export type Measurement = Readonly<Record<Design, readonly number[]>>;

type Servers = Readonly<Record<Design, ServerProcess>>;

/** Warm-up rounds of all operations. Afterwards the code is compiled for all inputs. */
const WARM_UP_ROUNDS = 3;
const MAX_ROUNDS = 11;
const FEWEST_ROUNDS = 3;

/** An operation, with the response that every server must return. */
interface Task {
  readonly operation: MeasuredOperation;
  readonly expected: string;
}

/**
 * Measures one operation after the other, each on all servers in turns, so that other load of the machine affects all
 * servers alike. Runs as many rounds as fit before `deadline`, on the clock of `performance`, but at least a few.
 */
export async function measure(
  servers: Servers,
  operations: readonly MeasuredOperation[],
  deadline: number,
): Promise<ReadonlyMap<MeasuredOperation, Measurement>> {
  const tasks: Task[] = [];
  for (const operation of operations) tasks.push({ operation, expected: await commonResponse(servers, operation) });
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
    for (const task of tasks) await measureRound(servers, task, DESIGNS);
  }
  const measured = new Map<MeasuredOperation, Measurement>();
  for (const [index, task] of tasks.entries()) {
    const share = (deadline - performance.now()) / (tasks.length - index);
    measured.set(task.operation, await measureRounds(servers, task, performance.now() + share));
  }
  return measured;
}

async function measureRounds(servers: Servers, task: Task, deadline: number): Promise<Measurement> {
  const times = noTimes();
  // Does not count: in it a server collects the garbage of the operation before.
  await measureRound(servers, task, DESIGNS);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (round >= FEWEST_ROUNDS && performance.now() > deadline) break;
    const spent = await measureRound(servers, task, inTurn(round));
    for (const design of DESIGNS) times[design].push(spent[design]);
  }
  return times;
}

async function measureRound(
  servers: Servers,
  { operation, expected }: Task,
  designs: readonly Design[],
): Promise<Record<Design, number>> {
  const spent = { bare: 0, edge: 0, generated: 0 };
  for (const design of designs) spent[design] = await cpuPerRequest(servers[design], operation, expected);
  return spent;
}

const noTimes = (): Record<Design, number[]> => ({ bare: [], edge: [], generated: [] });

/** Rotates the order, so that no server is always first. */
function inTurn(round: number): readonly Design[] {
  const first = round % DESIGNS.length;
  return [...DESIGNS.slice(first), ...DESIGNS.slice(0, first)];
}

async function cpuPerRequest(server: ServerProcess, operation: MeasuredOperation, expected: string): Promise<number> {
  const { requests: amount } = operation;
  const before = await server.cpuTime();
  await load(server.url, operation, { amount, expected });
  return ((await server.cpuTime()) - before) / amount;
}

/** @throws InvariantError when two servers return different bytes. */
async function commonResponse(servers: Servers, operation: MeasuredOperation): Promise<string> {
  const expected = await responseOf(servers.bare.url, operation);
  for (const design of DESIGNS) {
    const response = await responseOf(servers[design].url, operation);
    if (response !== expected)
      throw new InvariantError(`${operation.title}: "${design}" has different responses:\n${response}\n${expected}`);
  }
  return expected;
}
