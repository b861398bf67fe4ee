import { setTimeout as wait } from 'node:timers/promises';
import { percentile } from '../bench-quotes/report';
import { atMost, type Figure, none, plain, reportFigures } from './figures';
import { failureFigures, verifyWrites } from './verify-writes';
import { startWriters, type Writers } from './writers';
import { type WrittenService, withWrittenService } from './written-service';
import type { DatabaseServer, Scenario } from './scenario';

const [KILLS, STOPS] = [20, 5];
const STOPPED_MS = 10_000;
/** Quotes a second, each with an action. */
const QUOTES_PER_SECOND = 25;
/** Time between two outages: at least, and at most. */
const [MIN_UP_MS, MAX_UP_MS] = [1000, 4000];
const RECOVERY_MS = 5000;
/** Time after which a service that does not write is given up. */
const LIMIT_MS = 120_000;

/** Outages of the database, while clients write. */
export const OUTAGES: readonly Scenario[] = [
  {
    name: 'the database is killed and stopped again and again while clients write',
    run: (setup, [kills = KILLS, stops = STOPS]) =>
      withWrittenService(setup, async (service) =>
        reportFigures(await loseDatabase(service, { server: setup.server, kills, stops })),
      ),
  },
];

interface Plan {
  readonly server: DatabaseServer;
  readonly kills: number;
  readonly stops: number;
}

async function loseDatabase(service: WrittenService, { server, kills, stops }: Plan): Promise<readonly Figure[]> {
  const running = await service.start();
  const writers = startWriters(service.target, QUOTES_PER_SECOND);
  const recoverAfter = async (outage: () => Promise<void>): Promise<number> => {
    await wait(MIN_UP_MS + Math.random() * (MAX_UP_MS - MIN_UP_MS));
    await outage();
    await server.start();
    return timeUntilAction(writers);
  };
  const kill = (): Promise<void> => server.kill();
  const stop = async (): Promise<void> => {
    await server.stop();
    await wait(STOPPED_MS);
  };
  try {
    await timeUntilAction(writers);
    const [afterKills, afterStops]: [number[], number[]] = [[], []];
    for (let count = 0; count < kills; count += 1) afterKills.push(await recoverAfter(kill));
    for (let count = 0; count < stops; count += 1) afterStops.push(await recoverAfter(stop));
    await writers.stop();
    return [
      plain('kills of the database', kills),
      ...recoveryFigures('a kill', afterKills),
      plain(`stops of the database for ${String(STOPPED_MS / 1000)} seconds`, stops),
      ...recoveryFigures('a stop', afterStops),
      none('requests without a response', writers.failures.get('no response') ?? 0),
      ...failureFigures(writers),
      ...(await verifyWrites(service, writers)),
    ];
  } finally {
    await running.stop();
  }
}

function recoveryFigures(outage: string, times: readonly number[]): readonly Figure[] {
  if (times.length === 0) return [];
  const slowest = { value: Math.max(...times), bound: RECOVERY_MS, unit: 'ms' };
  return [
    plain(
      `median time until the next action after ${outage}, once the database is back`,
      percentile(times, 50).toFixed(0),
    ),
    atMost(`longest time until the next action after ${outage}, once the database is back`, slowest),
  ];
}

/** Milliseconds until another action is acknowledged. */
async function timeUntilAction(writers: Writers): Promise<number> {
  const [before, startedAt] = [writers.actions.size, performance.now()];
  while (writers.actions.size === before && performance.now() - startedAt < LIMIT_MS) await wait(10);
  return performance.now() - startedAt;
}
