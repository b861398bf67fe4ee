import { fork } from 'node:child_process';
import path from 'node:path';
import type { Outcome, Target } from '../../test/resilience/hostile/target';
import { nextMessage } from '../next-message';
import { lowerPriority } from './lower-priority';

/** An attack by its name. Each of `concurrency` loops repeats it for this time, and sends it once at least. */
export interface AttackCommand {
  readonly attack: string;
  readonly target: Target;
  readonly concurrency: number;
  readonly seconds: number;
}

export interface AttackResult {
  readonly outcomes: readonly Outcome[];
}

export interface Attacker {
  /** Resolves when all requests have ended. One command at a time. @throws when the process ends */
  send(command: AttackCommand): Promise<readonly Outcome[]>;
  stop(): void;
}

/** Starts an attacker in a process of its own with the lowest priority, so that it does not delay the timed requests of another customer. */
export function startAttacker(): Attacker {
  const child = fork(path.join(__dirname, 'attacker.js'));
  if (child.pid !== undefined) lowerPriority(child.pid);
  return {
    async send(command) {
      const sent = nextMessage(child, 'the attacker');
      child.send(command);
      return ((await sent) as AttackResult).outcomes;
    },
    stop: () => void child.kill(),
  };
}
