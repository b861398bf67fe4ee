import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { MAX_COOLDOWN_MS } from '../../src/actions/tracker/solana/search-schedule';
import { PROJECT_ROOT } from '../../src/config/project-root';
import { METRICS } from '../../src/telemetry/metrics/metric-table';
import { createPrometheusMetrics } from '../../src/telemetry/metrics/prometheus';

const read = (file: string): string => readFileSync(path.join(PROJECT_ROOT, file), 'utf8');

/** Labels that Prometheus adds to every series. It renames those of a process. */
const TARGET_LABELS = ['job', 'instance'];

/** The labels of each series of the service, by its name. */
async function knownSeries(): Promise<ReadonlyMap<string, readonly string[]>> {
  const text = await createPrometheusMetrics({ log: { warn: () => undefined } }).render();
  const ofProcess = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
  const own = Object.values(METRICS).flatMap(({ kind, name, labels }): (readonly [string, readonly string[]])[] =>
    kind === 'histogram'
      ? [[`${name}_bucket`, [...labels, 'le']], [`${name}_count`, labels], [`${name}_sum`, labels] as const]
      : [[name, labels]],
  );
  return new Map<string, readonly string[]>([...[...ofProcess, 'up'].map((name) => [name, []] as const), ...own]);
}

/** What an expression of Prometheus mentions: series, labels that it selects or groups by. */
function mentioned(expression: string): { readonly series: readonly string[]; readonly labels: readonly string[] } {
  const selectors = [...expression.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside]) => [
    ...inside!.matchAll(/(\w+)\s*[=!]/g),
  ]);
  const groups = [...expression.matchAll(/\b(?:by|without|on)\s*\(([^)]*)\)/g)].flatMap(([, inside]) =>
    inside!.split(','),
  );
  const bare = expression.replaceAll(/\{[^}]*\}|\[[^\]]*\]|"[^"]*"|\b(?:by|without|on)\s*\([^)]*\)/g, ' ');
  const words = [...bare.matchAll(/[a-zA-Z_]\w*(?!\w|\s*\()/g)].map(([word]) => word);
  return {
    series: words.filter((word) => !['or', 'and', 'unless', 'bool'].includes(word)),
    labels: [...selectors.map(([, label]) => label!), ...groups.map((label) => label.trim())],
  };
}

async function problemsOf(expression: string, shownLabels: readonly string[] = []): Promise<readonly string[]> {
  const known = await knownSeries();
  const { series, labels } = mentioned(expression);
  if (series.length === 0) return [`no series in ${expression}`];
  const unknown = series.filter((name) => !known.has(name));
  const available = new Set([...TARGET_LABELS, ...series.flatMap((name) => known.get(name) ?? [])]);
  return [...unknown, ...[...labels, ...shownLabels].filter((label) => !available.has(label))];
}

interface Alert {
  readonly name: string;
  readonly expression: string;
  readonly labels: readonly string[];
}

const alerts = read('ops/alerts.yml')
  .split(/^ {6}- alert: /m)
  .slice(1)
  .map((text): Alert => {
    const [, folded, plain] = /^ {8}expr: (?:>-\n((?: {10}.*\n)+)|(.*)\n)/m.exec(text) ?? [];
    return {
      name: text.split('\n', 1)[0]!,
      expression: (folded ?? plain ?? '').trim(),
      labels: [...text.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label!),
    };
  });

const dashboard = z
  .object({
    panels: z.array(
      z.object({
        title: z.string(),
        targets: z.array(z.object({ expr: z.string(), legendFormat: z.string() })).default([]),
      }),
    ),
  })
  .parse(JSON.parse(read('ops/grafana-dashboard.json')));
const queries = dashboard.panels.flatMap(({ title, targets }) => targets.map((target) => [title, target] as const));

test('no metric has a label that Prometheus would rename', () => {
  const clashing = Object.values(METRICS).filter(({ labels }) =>
    labels.some((label) => [...TARGET_LABELS, 'le', 'quantile'].includes(label)),
  );
  expect(clashing).toEqual([]);
});

test('the check of expressions finds a series, a label and a shown label that do not exist', async () => {
  expect(await problemsOf('sum by (chain) (rate(afluente_no_such_total{colour="red"}[5m])) > 0', ['size'])).toEqual([
    'afluente_no_such_total',
    'colour',
    'chain',
    'size',
  ]);
});

test.each(alerts)('the alert $name uses series and labels that exist', async ({ expression, labels }) => {
  expect(await problemsOf(expression, labels)).toEqual([]);
});

test.each(alerts)('docs/operations.md says what to do about $name', ({ name }) => {
  expect(read('docs/operations.md')).toMatch(new RegExp(`^\\| \`${name}\` +\\| \\S.+ \\| \\S.+ \\|$`, 'm'));
});

test('the share of errors is that of requests of callers, without probes and without those to subgraphs', () => {
  const { expression } = alerts.find(({ name }) => name === 'AfluenteErrors')!;
  const sums = expression.split(/\n\s*\/ /);
  expect(sums).toHaveLength(2);
  for (const sum of sums) {
    expect(sum).toContain('route!~"/health.*"');
    expect(sum).toContain('unless on (instance) afluente_build_info{role=~"subgraph:.*"}');
  }
});

test('a Solana reference that is only searched for at its longest interval does not look like a tracker that is behind', () => {
  const { expression } = alerts.find(({ name }) => name === 'AfluenteTrackerBehind')!;
  const limits = [...expression.matchAll(/lag_seconds(?:\{chain(=~|!~)"solana\.\*"\})?\) > (\d+)/g)];
  const solana = limits.filter(([, operator]) => operator !== '!~').map(([, , seconds]) => Number(seconds));
  expect(solana).toHaveLength(1);
  expect(solana[0]).toBeGreaterThan(MAX_COOLDOWN_MS / 1000);
});

test('docs/operations.md describes no alert that does not exist', () => {
  const described = [...read('docs/operations.md').matchAll(/^\| `(Afluente\w+)`/gm)].map(([, name]) => name);
  expect(described.toSorted()).toEqual(alerts.map(({ name }) => name).toSorted());
});

test.each(queries)('the panel "%s" uses series and labels that exist', async (_title, { expr, legendFormat }) => {
  const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!);
  expect(await problemsOf(expr, shown)).toEqual([]);
});

test('every metric of the service is on the dashboard or in an alert', () => {
  const used = [...alerts.map(({ expression }) => expression), ...queries.map(([, { expr }]) => expr)].join('\n');
  const unused = Object.values(METRICS).filter(({ name }) => !used.includes(name));
  expect(unused.map(({ name }) => name)).toEqual([]);
});

test('docs/operations.md lists every metric', () => {
  const text = read('docs/operations.md');
  for (const { name } of Object.values(METRICS)) expect(text).toContain(`\`${name}\``);
});
