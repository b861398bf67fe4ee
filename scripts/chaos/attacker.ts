import { ATTACKS } from '../../test/resilience/hostile/attacks';
import type { Outcome } from '../../test/resilience/hostile/target';
import type { AttackCommand, AttackResult } from './attacker-process';

/** Executes the commands of `attacker-process.ts`. */
async function execute({ attack: name, target, concurrency, seconds }: AttackCommand): Promise<readonly Outcome[]> {
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

process.on('message', (command: AttackCommand) => {
  void execute(command).then((outcomes) => process.send?.({ outcomes } satisfies AttackResult));
});
process.once('disconnect', () => process.exit());
