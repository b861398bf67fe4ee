import { readFileSync } from 'node:fs';
import path from 'node:path';
import { loadConfig } from '../../src/config/config';
import { PROJECT_ROOT } from '../../src/config/project-root';
import { CREDENTIAL_CONNECTIONS, SERVICE_CONNECTIONS } from '../../src/persistence/scoped-pool';
import { JOB_CONNECTIONS } from '../../src/jobs/start-job-worker';

const read = (file: string): string => readFileSync(path.join(PROJECT_ROOT, file), 'utf8');

/** Connections that PostgreSQL accepts by default: 100 without three reserved ones. */
const ACCEPTED = 97;
/** Connections of a role besides those of `DATABASE_POOL_SIZE`. Only a gateway looks up credentials. */
const OTHERS: Readonly<Record<string, number>> = {
  gateway: SERVICE_CONNECTIONS + CREDENTIAL_CONNECTIONS,
  subgraph: SERVICE_CONNECTIONS,
  worker: JOB_CONNECTIONS,
};

interface ComposeService {
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly replicas: number;
}

/** The services with a role. Reads only the form in which the file is written: two spaces for each level. */
function composeServices(): readonly ComposeService[] {
  const [, services = ''] = read('compose.yaml').split(/^services:$/m);
  const parts = services.split(/^ {2}([a-z]+):$/m).slice(1);
  return parts.flatMap((name, index) => {
    if (index % 2 === 1) return [];
    const text = parts[index + 1]!;
    const settings = Object.fromEntries(
      [...text.matchAll(/^ {6}([A-Z_]+): '?([^'\n]*)'?$/gm)].map(([, key, value]) => [key!, value!]),
    );
    const replicas = Number.parseInt(/replicas: (\d+)/.exec(text)?.[1] ?? '1', 10);
    return settings['ROLE'] === undefined ? [] : [{ name, settings, replicas }];
  });
}

const services = composeServices();

test('compose.yaml has every role, and each has valid settings', () => {
  const names = ['gateway', 'swaps', 'wallets', 'customers', 'kyc', 'strategies', 'worker'];
  expect(services.map(({ name }) => name)).toEqual(names);
  for (const { settings } of services) {
    const shared = { DATABASE_URL: 'postgres://db/x', API_KEY_PEPPER: 'a'.repeat(64), INTERNAL_SECRET: 'b'.repeat(64) };
    const given = { ...shared, ...settings };
    const literal = Object.entries(given).filter(([, value]) => !value.includes('${'));
    expect(loadConfig(Object.fromEntries(literal)).warnings).toEqual([]);
  }
});

test('the processes of compose.yaml together open fewer connections than PostgreSQL accepts by default', () => {
  const opened = services.map(({ settings, replicas }) => {
    return replicas * (Number.parseInt(settings['DATABASE_POOL_SIZE']!, 10) + OTHERS[settings['ROLE']!]!);
  });
  expect(opened.reduce((sum, each) => sum + each, 0)).toBeLessThan(ACCEPTED);
});

test('the documentation states the connections of each role', () => {
  const operations = read('docs/operations.md');
  for (const others of Object.values(OTHERS))
    expect(operations).toMatch(new RegExp(`\`DATABASE_POOL_SIZE\` \\+ ${String(others)} +\\|`));
});

test('npm ci runs no install script', () => {
  expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
});
