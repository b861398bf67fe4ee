import { Registry } from 'prom-client';
import type { Collector } from './metrics';
import { createPrometheusMetrics, type PrometheusOptions } from './prometheus';

const never = new Promise<never>(() => undefined);
const warnings: object[] = [];
const open = (options: Partial<PrometheusOptions> = {}) =>
  createPrometheusMetrics({ log: { warn: (record: object) => void warnings.push(record) }, ...options });
beforeEach(() => warnings.splice(0));
afterEach(() => jest.restoreAllMocks());

/** The lines of one metric, without its description. */
const linesOf = (text: string, name: string): readonly string[] =>
  text.split('\n').filter((line) => line.startsWith(name));

const drift = (value: number): Collector => ({
  name: 'drift',
  gauges: ['counterDrift'],
  read: () => [['counterDrift', {}, value]],
});

test('counters and histograms have the recorded values, by label', async () => {
  const metrics = open();
  for (const provider of ['across', 'across', 'lifi']) metrics.count('quotesWon', { provider, chain: 'base' });
  metrics.observe('subgraphRequest', { subgraph: 'swaps', outcome: 'ok' }, 0.03);
  const text = await metrics.render();
  expect(linesOf(text, 'afluente_provider_quotes_won_total')).toEqual([
    'afluente_provider_quotes_won_total{provider="across",chain="base"} 2',
    'afluente_provider_quotes_won_total{provider="lifi",chain="base"} 1',
  ]);
  const name = 'afluente_subgraph_request_duration_seconds';
  expect(linesOf(text, name)).toContain(`${name}_bucket{le="0.02",subgraph="swaps",outcome="ok"} 0`);
  expect(linesOf(text, name)).toContain(`${name}_bucket{le="0.05",subgraph="swaps",outcome="ok"} 1`);
  expect(linesOf(text, name)).toContain(`${name}_sum{subgraph="swaps",outcome="ok"} 0.03`);
});

test('the delay of the event loop and the memory that is used are among the metrics', async () => {
  const text = await open().render();
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
  expect(text).toMatch(/^process_resident_memory_bytes \d/m);
});

test('a gauge that no collector has read is missing, and is not shown as 0', async () => {
  const metrics = open();
  expect(linesOf(await metrics.render(), 'afluente_counter_drift')).toEqual([]);
  metrics.collect(drift(3));
  expect(linesOf(await metrics.render(), 'afluente_counter_drift')).toEqual(['afluente_counter_drift 3']);
});

test('a collector that throws leaves out its own gauges alone, and is logged once', async () => {
  const metrics = open();
  let isBroken = false;
  metrics.collect({ ...drift(1), read: () => (isBroken ? broken() : [['counterDrift', {}, 1]]) });
  metrics.collect({ name: 'webhooks', gauges: ['webhooksOldestDue'], read: () => [['webhooksOldestDue', {}, 7]] });
  expect(await metrics.render()).toContain('afluente_counter_drift 1');
  isBroken = true;
  await metrics.render();
  const text = await metrics.render();
  expect(linesOf(text, 'afluente_counter_drift')).toEqual([]);
  expect(text).toContain('afluente_webhooks_oldest_due_seconds 7');
  expect(linesOf(text, 'afluente_collector_up')).toEqual([
    'afluente_collector_up{collector="drift"} 0',
    'afluente_collector_up{collector="webhooks"} 1',
  ]);
  expect(warnings).toEqual([{ collector: 'drift', cause: { name: 'Error', message: 'no response' } }]);
});

test('a collector that does not respond does not hold up the others, and runs once at a time', async () => {
  const metrics = open({ timeoutMs: 20 });
  let started = 0;
  metrics.collect({ ...drift(1), read: () => ((started += 1), never) });
  metrics.collect({ name: 'webhooks', gauges: ['webhooksOldestDue'], read: () => [['webhooksOldestDue', {}, 7]] });
  await metrics.render();
  const text = await metrics.render();
  expect(text).toContain('afluente_webhooks_oldest_due_seconds 7');
  expect(text).toContain('afluente_collector_up{collector="drift"} 0');
  expect(started).toBe(1);
});

test('a collector that takes too long is logged once', async () => {
  const metrics = open({ timeoutMs: 20 });
  metrics.collect({ ...drift(1), read: () => never });
  await metrics.render();
  await metrics.render();
  expect(warnings).toEqual([{ collector: 'drift', cause: { name: 'Timeout', message: 'no result within 20 ms' } }]);
});

test('a value that is no number leaves out its own gauges alone', async () => {
  const metrics = open();
  metrics.collect(drift('7' as unknown as number));
  metrics.collect({ name: 'webhooks', gauges: ['webhooksOldestDue'], read: () => [['webhooksOldestDue', {}, 7]] });
  await metrics.render();
  const text = await metrics.render();
  expect(text).toContain('afluente_webhooks_oldest_due_seconds 7');
  expect(text).toContain('afluente_collector_up{collector="drift"} 0');
  expect(linesOf(text, 'afluente_counter_drift')).toEqual([]);
  expect(warnings).toHaveLength(1);
});

test('values of an earlier reading do not stay: a chain that is gone has no gauge', async () => {
  const metrics = open();
  const chains = ['base', 'polygon'];
  metrics.collect({
    name: 'trackers',
    gauges: ['trackerLagSeconds'],
    read: () => chains.map((chain) => ['trackerLagSeconds', { chain }, 1] as const),
  });
  expect(linesOf(await metrics.render(), 'afluente_tracker_lag_seconds')).toHaveLength(2);
  chains.pop();
  expect(linesOf(await metrics.render(), 'afluente_tracker_lag_seconds')).toEqual([
    'afluente_tracker_lag_seconds{chain="base"} 1',
  ]);
});

test('requests at the same time share a reading, which is reused within its maximum age', async () => {
  const metrics = open();
  let readings = 0;
  metrics.collect({ ...drift(1), maxAgeMs: 60_000, read: () => [['counterDrift', {}, (readings += 1)]] });
  await Promise.all([metrics.render(), metrics.render(), metrics.render()]);
  expect(await metrics.render()).toContain('afluente_counter_drift 1');
  expect(readings).toBe(1);
});

test('a metric has a bounded number of series: further combinations of labels count as other', async () => {
  const metrics = open({ maxSeries: 3 });
  for (let index = 0; index < 1000; index += 1) metrics.count('graphqlField', { field: `Query.field${String(index)}` });
  const lines = linesOf(await metrics.render(), 'afluente_graphql_root_fields_total');
  expect(lines).toHaveLength(4);
  expect(lines).toContain('afluente_graphql_root_fields_total{field="other"} 997');
});

test('a failure has its own status when the route is one too many', async () => {
  const metrics = open({ maxSeries: 3 });
  const name = 'afluente_http_request_duration_seconds_count';
  for (let index = 0; index < 5; index += 1) {
    metrics.observe('httpRequest', { method: 'GET', route: `/${String(index)}`, status: '2xx' }, 0.1);
  }
  metrics.observe('httpRequest', { method: 'GET', route: '/new', status: '5xx' }, 0.1);
  const lines = linesOf(await metrics.render(), name);
  expect(lines).toHaveLength(5);
  expect(lines).toContain(`${name}{method="GET",route="other",status="2xx"} 2`);
  expect(lines).toContain(`${name}{method="GET",route="other",status="5xx"} 1`);
});

test('all chains and providers of a deployment have series of their own', async () => {
  const metrics = open();
  const outcomes = ['offered', 'no_route', 'failed'];
  for (let index = 0; index < 156; index += 1) {
    const labels = { provider: `p${String(index % 13)}`, chain: `c${String(Math.floor(index / 13))}` };
    for (const outcome of outcomes) metrics.count('providerQuotes', { ...labels, outcome });
  }
  const text = await metrics.render();
  expect(linesOf(text, 'afluente_provider_quotes_total')).toHaveLength(468);
  expect(linesOf(text, 'afluente_series_folded_total')).toEqual([]);
});

test('of the gauges that are too many the largest one is shown, and what is folded is counted', async () => {
  const metrics = open({ maxSeries: 2 });
  const values = [0, 0, 0, 1, 0];
  metrics.collect({
    name: 'breakers',
    gauges: ['breakerOpen'],
    read: () => values.map((value, index) => ['breakerOpen', { provider: 'p', chain: String(index) }, value] as const),
  });
  const folded = 'afluente_provider_breaker_open{provider="other",chain="other"}';
  const text = await metrics.render();
  expect(text).toContain(`${folded} 1`);
  expect(text).toContain('afluente_series_folded_total{metric="afluente_provider_breaker_open"} 3');
  values.fill(0);
  expect(await metrics.render()).toContain(`${folded} 0`);
});

test('a value with line breaks and quotes cannot add a line to the metrics', async () => {
  const metrics = open();
  metrics.count('graphqlField', { field: 'a"} 1\nforged_metric 1\n#' });
  expect(linesOf(await metrics.render(), 'forged_metric')).toEqual([]);
});

test('a metric that cannot be rendered is missing, and the others are complete', async () => {
  const render = Registry.prototype.getSingleMetricAsString;
  jest.spyOn(Registry.prototype, 'getSingleMetricAsString').mockImplementation(function (this: Registry, name) {
    return name === 'process_cpu_user_seconds_total'
      ? Promise.reject(new Error('no response'))
      : render.call(this, name);
  });
  const metrics = open();
  metrics.collect(drift(3));
  const text = await metrics.render();
  expect(text).toContain('afluente_counter_drift 3');
  expect(text).not.toContain('process_cpu_user_seconds_total');
  expect(warnings).toHaveLength(1);
});

function broken(): never {
  throw new Error('no response');
}
