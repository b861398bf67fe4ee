import type { CounterKey, GaugeKey, HistogramKey, LabelsOf } from './metric-table';

/** Records what happens in this process. Never throws, and costs about a microsecond. */
export interface Metrics {
  /** Adds one. */
  count<Key extends CounterKey>(key: Key, labels: LabelsOf<Key>): void;
  /** Adds a duration to a histogram. */
  observe<Key extends HistogramKey>(key: Key, labels: LabelsOf<Key>, seconds: number): void;
  /** Adds gauges that are read when the metrics are requested. */
  collect(collector: Collector): void;
}

/** A value of a gauge at the time of a request for the metrics. */
export type GaugeSample = { [Key in GaugeKey]: readonly [key: Key, labels: LabelsOf<Key>, value: number] }[GaugeKey];

/** Reads gauges that belong together. One that fails, or takes too long, leaves its gauges out and no others. */
export interface Collector {
  readonly name: string;
  /** The gauges that it sets: values of an earlier reading are forgotten. */
  readonly gauges: readonly GaugeKey[];
  readonly read: () => readonly GaugeSample[] | Promise<readonly GaugeSample[]>;
  /** A reading is reused for this time, in milliseconds; 0 by default. For readings that load the database. */
  readonly maxAgeMs?: number;
}

const MS_PER_SECOND = 1000;

/** The time since a moment of `performance.now()`, in seconds. */
export const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / MS_PER_SECOND;
