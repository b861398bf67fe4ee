import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Logger } from 'pino';
import { createReadings } from './readings';
import { type Metric, type MetricKey, METRICS } from './metric-table';
import type { Metrics } from './metrics';

/** Metrics in the text format of Prometheus. */
export interface PrometheusMetrics extends Metrics {
  readonly contentType: string;
  /** Reads the gauges and returns all metrics. A part that cannot be read is missing; the others are complete. */
  render(): Promise<string>;
}

export interface PrometheusOptions {
  readonly log: Pick<Logger, 'warn'>;
  /** Maximum number of combinations of labels of one metric: further ones count as `other`. */
  readonly maxSeries?: number;
  /** Maximum time of a collector. */
  readonly timeoutMs?: number;
}

const MAX_SERIES = 250;
const TIMEOUT_MS = 3000;
/** Value of all labels of what exceeds the maximum. */
const OTHER = 'other';

type Child = { observe?: (value: number) => void; inc?: () => void; set?: (value: number) => void };
type Labels = Readonly<Partial<Record<string, string>>>;

/** One metric with its combinations of labels. */
interface Series {
  child(labels: Labels): Child;
  forget(): void;
  /** True until a value was recorded. The library renders a gauge without labels as 0 before that. */
  readonly isEmpty: boolean;
}

export function createPrometheusMetrics(options: PrometheusOptions): PrometheusMetrics {
  const { log, maxSeries = MAX_SERIES, timeoutMs = TIMEOUT_MS } = options;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const series = new Map<MetricKey, Series>();
  for (const [key, metric] of Object.entries(METRICS)) {
    series.set(key as MetricKey, openSeries(registry, metric, maxSeries));
  }
  const child = (key: MetricKey, labels: Labels): Child => series.get(key)?.child(labels) ?? {};
  const readings = createReadings({
    log,
    timeoutMs,
    set: (key, labels, value) => child(key, labels).set?.(value),
    forget: (key) => series.get(key)?.forget(),
  });
  return {
    contentType: registry.contentType,
    count: (key, labels) => child(key, labels).inc?.(),
    observe: (key, labels, seconds) => child(key, labels).observe?.(seconds),
    collect: (collector) => readings.add(collector),
    async render() {
      await readings.refresh();
      const unset = new Set(
        [...series].flatMap(([key, { isEmpty }]) => (isEmpty ? [METRICS[key].name as string] : [])),
      );
      return renderEach(registry, unset, log);
    },
  };
}

/** Children are kept: finding one by its labels each time would cost more than the rest of an observation. */
function openSeries(registry: Registry, metric: Metric, maxSeries: number): Series {
  const opened = openMetric(registry, metric);
  const names: readonly string[] = metric.labels;
  const children = new Map<string, Child>();
  const others = Object.fromEntries(names.map((name) => [name, OTHER]));
  const create = (labels: Labels): Child =>
    opened.labels(Object.fromEntries(names.map((name) => [name, labels[name] ?? ''])));
  return {
    child(labels) {
      const key = keyOf(names, labels);
      const known = children.get(key);
      if (known !== undefined) return known;
      if (names.length > 0 && children.size >= maxSeries) return create(others);
      const created = create(labels);
      children.set(key, created);
      return created;
    },
    forget() {
      opened.reset();
      children.clear();
    },
    get isEmpty() {
      return children.size === 0;
    },
  };
}

function keyOf(names: readonly string[], labels: Labels): string {
  let key = '';
  for (const name of names) key += `${labels[name] ?? ''}\0`;
  return key;
}

function openMetric(registry: Registry, metric: Metric): { labels(values: object): Child; reset(): void } {
  const { kind, name, help } = metric;
  const definition = { name, help, labelNames: [...metric.labels], registers: [registry] };
  if (kind === 'counter') return new Counter(definition);
  return kind === 'gauge' ? new Gauge(definition) : new Histogram({ ...definition, buckets: [...metric.buckets] });
}

/** Each metric by itself: the registry renders none when one fails. */
async function renderEach(registry: Registry, unset: ReadonlySet<string>, log: Pick<Logger, 'warn'>): Promise<string> {
  const names = registry.getMetricsAsArray().map(({ name }) => name);
  const rendered = await Promise.all(
    names.map(async (name) => {
      if (unset.has(name)) return '';
      try {
        return await registry.getSingleMetricAsString(name);
      } catch (error) {
        log.warn({ metric: name, err: error }, 'a metric could not be rendered');
        return '';
      }
    }),
  );
  return `${rendered.filter((text) => text !== '').join('\n\n')}\n`;
}
