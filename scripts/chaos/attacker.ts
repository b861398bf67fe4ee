import { ATTACKS } from '../../test/resilience/hostile/attacks';
import type { Outcome } from '../../test/resilience/hostile/target';
import type { Order, Sent } from './attacker-process';

/** Executes the orders of `attacker-process.ts`. */
async function execute({ attack: name, target, concurrency, seconds }: Order): Promise<readonly Outcome[]> {
  const attack = ATTACKS.find((candidate) => candidate.name === name);
  if (attack === undefined) throw new RangeError(`no attack is named ${name}`);
  const endsAt = performance.now() + seconds * 1000;
  const outcomes: Outcome[] = [];
  const repeat = async (): Promise<void> => {
    do outcomes.push(await attack.send(target));
    while (performance.now() < endsAt);
  };
  await Promise.all(Array.from({ length: concurrency }, repeat));
  return outcomes;
}

process.on('message', (order: Order) => {
  void execute(order).then((outcomes) => process.send?.({ outcomes } satisfies Sent));
});
process.once('disconnect', () => process.exit());
