import { setTimeout as wait } from 'node:timers/promises';
import { percentile } from '../bench-quotes/report';
import { atLeast, atMost, type Figure, plain, reportFigures } from './figures';
import { failureFigures, verifyWrites } from './verify-writes';
import { startWriters, type Writers } from './writers';
import { type WrittenService, withWrittenService } from './written-service';
import type { Scenario } from './scenario';

const ROUNDS = 100;
/** Quotes a second, each with an action: twice as many writes. */
const QUOTES_PER_SECOND = 35;
/** The service is killed at a random moment between these times after it was ready. */
const [MIN_UP_MS, MAX_UP_MS] = [1000, 4000];
const BOUNDS = { writesPerSecond: 50, readyMs: 5000 } as const;

/** Kills of the service itself, while its clients write. */
export const KILLS: readonly Scenario[] = [
  {
    name: 'the service is killed again and again while clients write',
    run: (setup, [rounds = ROUNDS]) =>
      withWrittenService(setup, async (service) => reportFigures(await killAgainAndAgain(service, rounds))),
  },
];

async function killAgainAndAgain(service: WrittenService, rounds: number): Promise<readonly Figure[]> {
  let running = await service.start();
  const writers = startWriters(service.target, QUOTES_PER_SECOND);
  try {
    await firstWrite(writers, 0);
    const [readyMs, perSecond]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      perSecond.push(await writesPerSecond(writers, MIN_UP_MS + Math.random() * (MAX_UP_MS - MIN_UP_MS)));
      const killedAt = performance.now();
      await running.kill();
      running = await service.start();
      readyMs.push(performance.now() - killedAt);
    }
    await writers.stop();
    const mean = perSecond.reduce((sum, rate) => sum + rate, 0) / rounds;
    return [
      plain('kills', rounds),
      atLeast('writes a second while the service is ready', { value: mean, bound: BOUNDS.writesPerSecond, unit: '/s' }),
      plain('median time from a kill until the service is ready', `${percentile(readyMs, 50).toFixed(0)} ms`),
      atMost('longest time from a kill until the service is ready', {
        value: Math.max(...readyMs),
        bound: BOUNDS.readyMs,
        unit: 'ms',
      }),
      ...failureFigures(writers),
      ...(await verifyWrites(service, writers)),
    ];
  } finally {
    await running.stop();
  }
}

/** Acknowledged writes a second, over this time. */
async function writesPerSecond(writers: Writers, milliseconds: number): Promise<number> {
  const [before, startedAt] = [writers.count(), performance.now()];
  await wait(milliseconds);
  return ((writers.count() - before) * 1000) / (performance.now() - startedAt);
}

async function firstWrite(writers: Writers, before: number): Promise<void> {
  while (writers.count() <= before) await wait(10);
}
