import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { requireThat } from './chaos-failure';
import { startRefused, startService } from './service-process';
import type { Scenario } from './scenario';

/** The lines of the output with a problem. Each pattern must be in one of them. */
function linesWith(output: string, patterns: readonly RegExp[]): readonly string[] {
  const lines = output.split('\n');
  return patterns.map((pattern) => {
    const line = lines.find((candidate) => pattern.test(candidate));
    requireThat(line !== undefined, `no line matches ${String(pattern)}:\n${output}`);
    return line.trim();
  });
}

/** Settings and surroundings with which the service must refuse to start, in words. */
export const REFUSED_STARTS: readonly Scenario[] = [
  {
    name: 'wrong settings are reported at once, before anything starts',
    async run() {
      const wrong = {
        ROLE: 'subgraph',
        DATABASE_URL: 'mysql://127.0.0.1/afluente',
        PORT: '70000',
        PUBLIC_URL: 'ftp://api.example',
        PRIMARY_RAMP_API_KEY: 'key',
        CHAINS_FILE: '/absent/chains.json',
      };
      const expected = [/DATABASE_URL: must be/, /PORT: must be/, /PUBLIC_URL: must be/, /API_KEY_PEPPER: is required/];
      const related = [
        /SUBGRAPH: is required/,
        /INTERNAL_SECRET: is required/,
        /PRIMARY_RAMP_PRIVATE_KEY: is required/,
      ];
      return linesWith(await startRefused(wrong), [...expected, ...related, /CHAINS_FILE: cannot be read/]);
    },
  },
  {
    name: 'an unreachable database ends the start',
    async run({ settings }) {
      const url = new URL(settings.DATABASE_URL);
      url.hostname = '127.0.0.1';
      url.port = '9';
      const output = await startRefused({ ...settings, DATABASE_URL: url.href });
      return linesWith(output, [/\(DATABASE_URL\) does not respond/]);
    },
  },
  {
    name: 'another pepper than that of the existing API keys is refused',
    async run({ settings }) {
      const output = await startRefused({ ...settings, ROLE: 'gateway', API_KEY_PEPPER: '11'.repeat(32) });
      return linesWith(output, [/^API_KEY_PEPPER differs/]);
    },
  },
  {
    name: 'other keys for personal data than the stored ones are refused',
    async run({ settings }) {
      const keys = { PERSONAL_DATA_KEYS: `1:${'22'.repeat(32)}`, BLIND_INDEX_KEY: '33'.repeat(32) };
      const first = await startService({ ...settings, ...keys, ROLE: 'gateway', SHUTDOWN_DRAIN_MS: '0' });
      await first.stop();
      const wrong = { ...keys, PERSONAL_DATA_KEYS: `1:${'44'.repeat(32)}` };
      return linesWith(await startRefused({ ...settings, ...wrong, ROLE: 'gateway' }), [/^PERSONAL_DATA_KEYS/]);
    },
  },
  {
    name: 'a port in use is reported',
    async run({ settings }) {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      try {
        return linesWith(await startRefused({ ...settings, ROLE: 'gateway', PORT: String(port) }), [/already in use/]);
      } finally {
        other.close();
      }
    },
  },
];
