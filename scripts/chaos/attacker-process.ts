import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Outcome, Target } from '../../test/resilience/hostile/target';

/** An attack by its name. Each of `concurrency` loops repeats it for this time, and sends it once at least. */
export interface Order {
  readonly attack: string;
  readonly target: Target;
  readonly concurrency: number;
  readonly seconds: number;
}

export interface Sent {
  readonly outcomes: readonly Outcome[];
}

export interface Attacker {
  /** Resolves when all requests have ended. One order at a time. */
  send(order: Order): Promise<readonly Outcome[]>;
  stop(): void;
}

/** Starts an attacker in a process of its own: its work must not delay the requests of others that are timed. */
export function startAttacker(): Attacker {
  const child = fork(path.join(__dirname, 'attacker.js'));
  return {
    async send(order) {
      const sent = once(child, 'message');
      child.send(order);
      const [{ outcomes }] = (await sent) as [Sent];
      return outcomes;
    },
    stop: () => void child.kill(),
  };
}
