import type { MaybePromise } from '../maybe-promise';
import type { ExecutionState } from './execution-state';

/** A compiled node of a plan. Failures of a subgraph become errors in the state; they never throw or reject. */
export type PlanStep = (state: ExecutionState) => MaybePromise<void>;

export function inSequence(steps: readonly PlanStep[]): PlanStep {
  const runFrom = (state: ExecutionState, start: number): MaybePromise<void> => {
    for (let i = start; i < steps.length; i++) {
      const running = steps[i]?.(state);
      if (running !== undefined) return running.then(() => runFrom(state, i + 1));
    }
  };
  return (state) => runFrom(state, 0);
}

export function inParallel(steps: readonly PlanStep[]): PlanStep {
  return (state) => {
    const running: Promise<void>[] = [];
    for (const step of steps) {
      const started = step(state);
      if (started !== undefined) running.push(started);
    }
    return running.length === 0 ? undefined : Promise.all(running).then(() => undefined);
  };
}

export const noStep: PlanStep = () => undefined;
