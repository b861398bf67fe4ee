import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../../src/config/project-root';

const sources = ['src', 'gateway', 'subgraphs'].flatMap((folder) =>
  readdirSync(path.join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => path.join(folder, name)),
);
/** Files that load a module when they are loaded themselves. Types are erased. */
const loading = (module: RegExp): readonly string[] =>
  sources.filter((file) =>
    [...readFileSync(path.join(PROJECT_ROOT, file), 'utf8').matchAll(/^import (?!type )[^;]*? from '([^']+)';/gm)].some(
      ([, from]) => module.test(from!),
    ),
  );

test('the libraries of metrics and traces are loaded by one file each, and these only when they are configured', () => {
  expect(loading(/^prom-client$/)).toEqual(['src/telemetry/metrics/prometheus.ts']);
  expect(loading(/^@opentelemetry\//)).toEqual(['src/telemetry/tracing/open-tracer.ts']);
  expect(loading(/\/(?:prometheus|open-tracer)$/)).toEqual([]);
});
