import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { SERVICE_FLAGS } from '../../scripts/service-flags';
import { LONG_DATABASE_TIMEOUT, NO_LOAD_SHEDDING } from './no-load-shedding';
import { refusedStatements } from './refused-statements';

const RUN = path.resolve(__dirname, '../../scripts/run.cjs');
const START_TIMEOUT_MS = 120_000;

declare global {
  /** `stop` ends the service as Ctrl-C does and removes what it left. It may be called again. */
  var serviceUnderTest: { stop(): Promise<void> } | undefined;
}

/** Starts the whole service in embedded mode on a free port and a data directory of its own, once per run. */
export default async function startService(): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'afluente-service-'));
  const service = spawn(process.execPath, [...SERVICE_FLAGS, RUN, 'src/main'], {
    env: {
      ...process.env,
      ...NO_LOAD_SHEDDING,
      ...LONG_DATABASE_TIMEOUT,
      AFLUENTE_ENV_FILE: '',
      AFLUENTE_DATA_DIR: directory,
      PORT: '0',
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const refused = refusedStatements(service.stdout);
  let stopping: Promise<void> | undefined;
  globalThis.serviceUnderTest = { stop: () => (stopping ??= stopService(service, { directory, refused })) };
  process.env['AFLUENTE_TEST_SERVICE'] = directory;
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!existsSync(path.join(directory, 'embedded.json'))) {
    if (service.exitCode !== null) throw new Error(`the service ended with ${String(service.exitCode)} at start-up`);
    if (Date.now() > deadline) throw new Error('the service did not start in time');
    await wait(50);
  }
}

/** @throws when the database has refused a statement of the service */
async function stopService(
  service: ChildProcess,
  { directory, refused }: { readonly directory: string; readonly refused: ReturnType<typeof refusedStatements> },
): Promise<void> {
  if (service.exitCode === null && service.signalCode === null) {
    const closed = once(service, 'close');
    service.kill('SIGINT');
    await closed;
  }
  rmSync(directory, { recursive: true, force: true });
  refused.assertNone();
}
