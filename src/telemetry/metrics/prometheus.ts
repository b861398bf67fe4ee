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
  /** Maximum number of combinations of labels, instead of what the metric declares: of further ones, some labels become `other`. */
  readonly maxSeries?: number;
  /** Maximum time of a collector. */
  readonly timeoutMs?: number;
}

const MAX_SERIES = 250;
const TIMEOUT_MS = 3000;
/** Value of labels of what exceeds the maximum. */
const OTHER = 'other';
/** Labels with a few values, which stay: a failure on a new route is a failure all the same. */
const KEPT_LABELS: ReadonlySet<string> = new Set(['method', 'status', 'outcome', 'state', 'type']);

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
  const { log, maxSeries, timeoutMs = TIMEOUT_MS } = options;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const series = new Map<MetricKey, Series>();
  const child = (key: MetricKey, labels: Labels): Child => series.get(key)?.child(labels) ?? {};
  const onFold = (metric: Metric): void => {
    if (metric !== METRICS.seriesFolded) child('seriesFolded', { metric: metric.name }).inc?.();
  };
  for (const [key, metric] of Object.entries(METRICS)) {
    const limit = maxSeries ?? ('maxSeries' in metric ? metric.maxSeries : MAX_SERIES);
    series.set(key as MetricKey, openSeries(registry, metric, { limit, onFold }));
  }
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

interface SeriesOptions {
  /** Maximum number of combinations of labels. */
  readonly limit: number;
  /** Called for each value of a further combination. */
  readonly onFold: (metric: Metric) => void;
}

/** Children are kept: finding one by its labels each time would cost more than the rest of an observation. */
function openSeries(registry: Registry, metric: Metric, { limit, onFold }: SeriesOptions): Series {
  const opened = openMetric(registry, metric);
  const names: readonly string[] = metric.labels;
  const children = new Map<string, Child>();
  const folded = new Map<string, Child>();
  const create = (labels: Labels): Child =>
    opened.labels(Object.fromEntries(names.map((name) => [name, labels[name] ?? ''])));
  const fold = (labels: Labels): Child => {
    onFold(metric);
    const isFull = folded.size >= limit;
    const others = Object.fromEntries(
      names.map((name) => [name, KEPT_LABELS.has(name) && !isFull ? labels[name] : OTHER]),
    );
    const key = keyOf(names, others);
    const known = folded.get(key) ?? largest(create(others));
    folded.set(key, known);
    return known;
  };
  return {
    child(labels) {
      const key = keyOf(names, labels);
      const known = children.get(key);
      if (known !== undefined) return known;
      if (names.length > 0 && children.size >= limit) return fold(labels);
      const created = create(labels);
      children.set(key, created);
      return created;
    },
    forget() {
      opened.reset();
      children.clear();
      folded.clear();
    },
    get isEmpty() {
      return children.size === 0;
    },
  };
}

/** A gauge keeps the largest of several values: an open breaker must not be hidden by a closed one. */
function largest(child: Child): Child {
  const { set } = child;
  if (set === undefined) return child;
  let maximum = Number.NEGATIVE_INFINITY;
  return {
    set(value) {
      maximum = Math.max(maximum, value);
      set.call(child, maximum);
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
