import { InvariantError } from '../../src/errors/invariant-error';
import { type Design, DESIGNS } from './designs';
import { answerOf, load } from './load';
import type { MeasuredOperation } from './operations';
import type { ServerProcess } from './server-process';

/** CPU time per request in µs, by design: one entry a round. */
export type Measurement = Readonly<Record<Design, readonly number[]>>;

type Servers = Readonly<Record<Design, ServerProcess>>;

/** Rounds of warm-up that go before, so that all code is compiled as far as it ever will be. */
const WARM_UP_ROUNDS = 4;
const MOST_ROUNDS = 11;
const FEWEST_ROUNDS = 3;

/**
 * Measures every operation on every server, in turns: what the machine does beside it meets all of them alike.
 * Takes more rounds for as long as `deadline` (on the clock of `performance`) allows.
 */
export async function measure(
  servers: Servers,
  operations: readonly MeasuredOperation[],
  deadline: number,
): Promise<ReadonlyMap<MeasuredOperation, Measurement>> {
  const expected = new Map<MeasuredOperation, string>();
  for (const operation of operations) expected.set(operation, await commonAnswer(servers, operation));
  const times = new Map(operations.map((operation) => [operation, noTimes()]));
  for (let round = -WARM_UP_ROUNDS; round < MOST_ROUNDS; round += 1) {
    if (round >= FEWEST_ROUNDS && performance.now() > deadline) break;
    for (const [operation, time] of times) {
      for (const design of inTurn(round)) {
        const answer = expected.get(operation) ?? '';
        const spent = await cpuPerRequest(servers[design], operation, answer);
        if (round >= 0) time[design].push(spent);
      }
    }
  }
  return times;
}

const noTimes = (): Record<Design, number[]> => ({ bare: [], edge: [], generated: [] });

/** Nobody is always first. */
function inTurn(round: number): readonly Design[] {
  const first = Math.abs(round) % DESIGNS.length;
  return [...DESIGNS.slice(first), ...DESIGNS.slice(0, first)];
}

async function cpuPerRequest(server: ServerProcess, operation: MeasuredOperation, expected: string): Promise<number> {
  const { requests: amount } = operation;
  const before = await server.cpuTime();
  await load(server.url, operation, { amount, expected });
  return ((await server.cpuTime()) - before) / amount;
}

/** @throws InvariantError when two servers do not answer with the same bytes. */
async function commonAnswer(servers: Servers, operation: MeasuredOperation): Promise<string> {
  const expected = await answerOf(servers.bare.url, operation);
  for (const design of DESIGNS) {
    const answer = await answerOf(servers[design].url, operation);
    if (answer !== expected)
      throw new InvariantError(`${operation.title}: "${design}" answers differently:\n${answer}\n${expected}`);
  }
  return expected;
}
