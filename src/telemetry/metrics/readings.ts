import type { Logger } from 'pino';
import { resolveWithin } from '../../async/resolve-within';
import { describeFailure } from '../../errors/describe-failure';
import type { GaugeKey } from './metric-table';
import type { Collector, GaugeSample } from './metrics';

export interface ReadingsDeps {
  readonly log: Pick<Logger, 'warn'>;
  /** Maximum time of a collector. */
  readonly timeoutMs: number;
  readonly set: (key: GaugeKey, labels: Readonly<Record<string, string>>, value: number) => void;
  /** Removes all values of a gauge. */
  readonly forget: (key: GaugeKey) => void;
}

/** The collectors of a process, each with its last reading. */
export interface Readings {
  add(collector: Collector): void;
  /** Sets the gauges of all collectors. Never rejects. */
  refresh(): Promise<void>;
}

type Reading = Promise<readonly GaugeSample[] | undefined>;

interface Entry {
  readonly collector: Collector;
  /** At most one reading of a collector runs, however slow the database is. */
  pending: Reading | undefined;
  latest: { readonly samples: readonly GaugeSample[]; readonly endedAt: number } | undefined;
  hasFailed: boolean;
}

export function createReadings(deps: ReadingsDeps): Readings {
  const entries: Entry[] = [];
  const refreshAll = async (): Promise<void> => {
    await Promise.all(entries.map((entry) => refresh(deps, entry)));
  };
  let running: Promise<void> | undefined;
  return {
    add: (collector) => void entries.push({ collector, pending: undefined, latest: undefined, hasFailed: false }),
    refresh() {
      // Requests at the same time share the readings.
      running ??= refreshAll().finally(() => (running = undefined));
      return running;
    },
  };
}

async function refresh(deps: ReadingsDeps, entry: Entry): Promise<void> {
  const { name, gauges } = entry.collector;
  const samples = await samplesOf(deps, entry);
  for (const key of gauges) deps.forget(key);
  for (const [key, labels, value] of samples ?? []) deps.set(key, labels, value);
  deps.set('collectorUp', { collector: name }, samples === undefined ? 0 : 1);
}

/** `undefined` when the reading failed or takes too long. */
async function samplesOf(deps: ReadingsDeps, entry: Entry): Reading {
  const { collector, latest } = entry;
  if (latest !== undefined && performance.now() - latest.endedAt < (collector.maxAgeMs ?? 0)) return latest.samples;
  entry.pending ??= read(deps, entry).finally(() => (entry.pending = undefined));
  return resolveWithin(entry.pending, deps.timeoutMs);
}

async function read({ log }: ReadingsDeps, entry: Entry): Reading {
  try {
    const samples = await entry.collector.read();
    entry.latest = { samples, endedAt: performance.now() };
    entry.hasFailed = false;
    return samples;
  } catch (error) {
    // Once: metrics are requested several times a minute.
    if (!entry.hasFailed) {
      log.warn({ collector: entry.collector.name, cause: describeFailure(error) }, 'metrics could not be read');
    }
    entry.hasFailed = true;
    return undefined;
  }
}
