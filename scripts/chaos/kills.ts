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
/** A round in four kills the service while it is still cold, at a random moment between these times after it was ready. */
const [MIN_COLD_MS, MAX_COLD_MS] = [1000, 4000];
/** The other rounds kill it at a random moment after it has reached the rate, or after the longest wait for that. */
const [MAX_WARM_MS, MAX_WAIT_FOR_RATE_MS] = [2000, 30_000];
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
      if (round % 4 === 3) await wait(MIN_COLD_MS + Math.random() * (MAX_COLD_MS - MIN_COLD_MS));
      else perSecond.push(await reachRate(writers));
      const killedAt = performance.now();
      await running.kill();
      running = await service.start();
      readyMs.push(performance.now() - killedAt);
    }
    await writers.stop();
    return [
      plain('kills', rounds),
      atLeast('median of the writes in the second before a kill of the warm service', {
        value: percentile(perSecond, 50),
        bound: BOUNDS.writesPerSecond,
        unit: '/s',
      }),
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

/** Waits until clients write at the rate, and a random time longer. Returns the acknowledged writes of the last second. */
async function reachRate(writers: Writers): Promise<number> {
  const deadline = performance.now() + MAX_WAIT_FOR_RATE_MS;
  while ((await writesOfASecond(writers)) < BOUNDS.writesPerSecond && performance.now() < deadline);
  await wait(Math.random() * MAX_WARM_MS);
  return writesOfASecond(writers);
}

/** Acknowledged writes in the coming second. */
async function writesOfASecond(writers: Writers): Promise<number> {
  const [before, startedAt] = [writers.count(), performance.now()];
  await wait(1000);
  return ((writers.count() - before) * 1000) / (performance.now() - startedAt);
}

async function firstWrite(writers: Writers, before: number): Promise<void> {
  while (writers.count() <= before) await wait(10);
}
