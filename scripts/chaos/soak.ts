import { readdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { createProbe, type Probe } from '../../test/resilience/hostile/open-probe';
import { percentile } from '../bench-quotes/report';
import { atLeast, atMost, type Figure, none, plain, reportFigures } from './figures';
import { startSoakLoad } from './soak-load';
import type { Scenario } from './scenario';
import { withWrittenService } from './written-service';

/** After a quarter of an hour V8 still compiles functions of this load: their code is part of the heap. */
const [MINUTES, WARM_UP_MINUTES] = [30, 30];
const PER_SECOND = 50;
const SAMPLE_MS = 15_000;
const MEGABYTE = 1024 * 1024;
const HOUR_MS = 3_600_000;
const BOUNDS = {
  /** Growth of the heap after garbage collections. */
  heapPerHour: 2,
  /** Connections that are open by chance at the last samples and were not at the first ones. */
  descriptors: 4,
  /** Share of the requests that are sent: the others find too many still running. */
  sentShare: 0.9,
} as const;

/** What a process holds, at a time. */
interface Sample {
  readonly atMs: number;
  /** Used heap after a garbage collection, in bytes. */
  readonly heapUsed: number;
  /** Open file descriptors, sockets included. */
  readonly descriptors: number;
}

/** The service under a steady load: what it holds must not grow. */
export const SOAK: readonly Scenario[] = [
  {
    name: 'heap and descriptors of the service under a steady load',
    run: (setup, [minutes = MINUTES, warmUpMinutes = Math.min(WARM_UP_MINUTES, minutes)]) => {
      const probe = createProbe(setup.directory);
      const settings = { ...setup.settings, ...probe.settings };
      return withWrittenService({ ...setup, settings }, async (written) => {
        const { target } = written;
        const service = await written.start();
        const load = startSoakLoad(target, PER_SECOND);
        try {
          await wait(warmUpMinutes * 60_000);
          const [sentBefore, startedAt] = [load.sent(), performance.now()];
          const samples = await takeSamples({ probe, pid: service.pid }, minutes * 60_000);
          const perSecond = ((load.sent() - sentBefore) * 1000) / (performance.now() - startedAt);
          await load.stop();
          const rate = { value: perSecond, bound: PER_SECOND * BOUNDS.sentShare, unit: '/s' };
          const failed = [...load.failures].map(([name, count]) => `${name} (${String(count)})`);
          return reportFigures([
            atLeast(`requests a second, for ${String(minutes)} minutes`, rate),
            none(
              ['requests without success', ...failed].join(', '),
              [...load.failures.values()].reduce((sum, n) => sum + n, 0),
            ),
            ...growthFigures(samples),
          ]);
        } finally {
          await load.stop();
          await service.stop();
        }
      });
    },
  },
];

/** Takes a sample at once, each 15 seconds, and at the end. */
async function takeSamples(
  { probe, pid }: { readonly probe: Probe; readonly pid: number },
  durationMs: number,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const endsAt = performance.now() + durationMs;
  for (;;) {
    const { heapUsed } = await probe.memory();
    const atMs = performance.now();
    samples.push({ atMs, heapUsed, descriptors: readdirSync(`/proc/${String(pid)}/fd`).length });
    if (atMs >= endsAt) return samples;
    await wait(Math.min(SAMPLE_MS, endsAt - atMs));
  }
}

function growthFigures(samples: readonly Sample[]): readonly Figure[] {
  const quarter = Math.ceil(samples.length / 4);
  const [first, last] = [samples.slice(0, quarter), samples.slice(-quarter)];
  const median = (values: readonly number[]): number => percentile([...values], 50);
  const heapOf = (part: readonly Sample[]): number => median(part.map(({ heapUsed }) => heapUsed / MEGABYTE));
  const descriptorsOf = (part: readonly Sample[]): number => median(part.map(({ descriptors }) => descriptors));
  const slope = slopeOf(samples.map(({ atMs, heapUsed }) => [atMs / HOUR_MS, heapUsed / MEGABYTE]));
  const growth = descriptorsOf(last) - descriptorsOf(first);
  return [
    plain('samples', samples.length),
    plain('heap in the first and last quarter', `${heapOf(first).toFixed(1)} and ${heapOf(last).toFixed(1)} MB`),
    atMost('growth of the heap', { value: slope, bound: BOUNDS.heapPerHour, unit: 'MB/h' }),
    plain(
      'descriptors in the first and last quarter',
      `${String(descriptorsOf(first))} and ${String(descriptorsOf(last))}`,
    ),
    atMost('growth of the descriptors', { value: growth, bound: BOUNDS.descriptors, unit: '' }),
  ];
}

/** Slope of the line with the least squares of distances to the points. */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (index: 0 | 1): number => points.reduce((sum, point) => sum + point[index], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return covariance / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}
