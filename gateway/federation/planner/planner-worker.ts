import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import { z } from 'zod';
import { InvariantError } from '../../../src/errors/invariant-error';

/** A process that plans one document at a time. */
export interface PlannerWorker {
  readonly pid: number | undefined;
  isAlive(): boolean;
  /**
   * Returns a plan as JSON text, or the planner's error.
   *
   * @throws PlannerKilledError when another process killed it; InvariantError when it ended otherwise, for example because
   * the deadline passed.
   */
  plan(document: string, deadlineMs: number): Promise<PlannerResult>;
  kill(): void;
}

/** The planner was killed by another process, such as an operator or the kernel: the document may be innocent. */
export class PlannerKilledError extends Error {
  override readonly name = 'PlannerKilledError';
  constructor() {
    super('the planner process was killed by another process');
  }
}

type PlannerResult = { readonly plan: string } | { readonly error: string };

const messageSchema = z.union([
  z.object({ ready: z.literal(true) }),
  z.object({ plan: z.string() }),
  z.object({ error: z.string() }),
]);

type Message = z.infer<typeof messageSchema>;

const CHILD = path.join(__dirname, 'planner-child.cjs');
const START_DEADLINE_MS = 20_000;

/** @throws InvariantError when the process does not start. */
export async function startPlannerWorker(supergraphSdl: string): Promise<PlannerWorker> {
  const child = fork(CHILD, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], env: {}, execArgv: [] });
  const exchange = (message: object, deadlineMs: number): Promise<Message> =>
    exchangeMessages(child, message, deadlineMs);
  await exchange({ supergraph: supergraphSdl }, START_DEADLINE_MS);
  return {
    get pid() {
      return child.pid;
    },
    isAlive: () => child.connected && !child.killed,
    async plan(document, deadlineMs) {
      const result = await exchange({ document }, deadlineMs);
      if ('ready' in result) throw new InvariantError('the planner started twice');
      return result;
    },
    kill: () => child.kill('SIGKILL'),
  };
}

/** Sends a message and waits for the next one. At the deadline the process is killed, because nothing else stops it. */
function exchangeMessages(child: ChildProcess, message: object, deadlineMs: number): Promise<Message> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), deadlineMs);
    keepAlive(child, true);
    const release = (): void => {
      keepAlive(child, false);
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onEnd);
      child.off('error', onError);
    };
    const onMessage = (response: unknown): void => {
      release();
      resolve(messageSchema.parse(response));
    };
    const onEnd = (code: number | null, signal: string | null): void => {
      release();
      if (signal === 'SIGKILL' && !child.killed) reject(new PlannerKilledError());
      else reject(new InvariantError(`the planner process ended with ${signal ?? `code ${String(code)}`}`));
    };
    const onError = (cause: Error): void => {
      release();
      child.kill('SIGKILL');
      reject(new InvariantError(`the planner process cannot be used: ${cause.message}`));
    };
    child.on('message', onMessage);
    child.once('exit', onEnd);
    child.once('error', onError);
    if (child.exitCode !== null || child.signalCode !== null) onEnd(child.exitCode, child.signalCode);
    else child.send(message, () => undefined); // a message that cannot be sent has no receiver: the process has ended
  });
}

/** The child process keeps the gateway running only while a response is awaited. */
function keepAlive(child: ChildProcess, isAwaited: boolean): void {
  for (const handle of [child, child.channel]) {
    if (isAwaited) handle?.ref();
    else handle?.unref();
  }
}
