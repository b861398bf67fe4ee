import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import { z } from 'zod';
import { InvariantError } from '../../../src/errors/invariant-error';

/** A process that plans one document at a time. */
export interface PlannerWorker {
  readonly pid: number | undefined;
  isAlive(): boolean;
  /**
   * The answer of the planner: a plan as JSON text, or why there is none.
   *
   * @throws InvariantError when the process ended instead, be it that it took longer than the deadline.
   */
  ask(document: string, deadlineMs: number): Promise<PlannerAnswer>;
  kill(): void;
}

export type PlannerAnswer = { readonly plan: string } | { readonly error: string };

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
    isAlive: () => child.connected,
    async ask(document, deadlineMs) {
      const answer = await exchange({ document }, deadlineMs);
      if ('ready' in answer) throw new InvariantError('the planner started twice');
      return answer;
    },
    kill: () => child.kill('SIGKILL'),
  };
}

/** Sends a message and waits for the next one. When time is over the process is killed: nothing else would stop it. */
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
    const onMessage = (answer: unknown): void => {
      release();
      resolve(messageSchema.parse(answer));
    };
    const onEnd = (code: number | null, signal: string | null): void => {
      release();
      reject(new InvariantError(`the planner process ended with ${signal ?? `code ${String(code)}`}`));
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
    else child.send(message, () => undefined); // what cannot be sent has no receiver: the process has ended
  });
}

/** The process keeps the gateway running only while an answer is awaited. */
function keepAlive(child: ChildProcess, isAwaited: boolean): void {
  for (const handle of [child, child.channel]) {
    if (isAwaited) handle?.ref();
    else handle?.unref();
  }
}
