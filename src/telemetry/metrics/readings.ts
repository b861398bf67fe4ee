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
  const isSet = samples !== undefined && setEach(deps, entry, samples);
  deps.set('collectorUp', { collector: name }, isSet ? 1 : 0);
}

/** False when a value is no number: the library throws, and the other collectors must not suffer from it. */
function setEach(deps: ReadingsDeps, entry: Entry, samples: readonly GaugeSample[]): boolean {
  try {
    for (const [key, labels, value] of samples) deps.set(key, labels, value);
    entry.hasFailed = false;
    return true;
  } catch (error) {
    for (const key of entry.collector.gauges) deps.forget(key);
    logOnce(deps, entry, describeFailure(error));
    return false;
  }
}

/** `undefined` when the reading failed or takes too long. */
async function samplesOf(deps: ReadingsDeps, entry: Entry): Reading {
  const { collector, latest } = entry;
  if (latest !== undefined && performance.now() - latest.endedAt < (collector.maxAgeMs ?? 0)) return latest.samples;
  entry.pending ??= read(deps, entry).finally(() => (entry.pending = undefined));
  const samples = await resolveWithin(entry.pending, deps.timeoutMs);
  if (samples === undefined)
    logOnce(deps, entry, { name: 'Timeout', message: `no result within ${String(deps.timeoutMs)} ms` });
  return samples;
}

async function read(deps: ReadingsDeps, entry: Entry): Reading {
  try {
    const samples = await entry.collector.read();
    entry.latest = { samples, endedAt: performance.now() };
    return samples;
  } catch (error) {
    logOnce(deps, entry, describeFailure(error));
    return undefined;
  }
}

/** Once until it succeeds again: metrics are requested several times a minute. */
function logOnce({ log }: ReadingsDeps, entry: Entry, cause: ReturnType<typeof describeFailure>): void {
  if (!entry.hasFailed) log.warn({ collector: entry.collector.name, cause }, 'metrics could not be read');
  entry.hasFailed = true;
}
