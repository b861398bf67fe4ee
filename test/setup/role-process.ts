import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { SERVICE_FLAGS } from '../../scripts/service-flags';
import { LONG_DATABASE_TIMEOUT, NO_LOAD_SHEDDING } from './no-load-shedding';
import { refusedStatements } from './refused-statements';

const RUN = path.resolve(__dirname, '../../scripts/run.cjs');

/** A role of the service in a process of its own. */
export interface RoleProcess {
  /** Base URL. */
  readonly url: string;
  /** Stops it as an orchestrator does. @throws when the database has refused a statement of it */
  stop(): Promise<void>;
}

/** Starts the role of `environment`, such as `{ ROLE: 'gateway', …deployment }`, on a free port. Resolves when it is ready. */
export async function startRole(environment: NodeJS.ProcessEnv): Promise<RoleProcess> {
  const child = spawn(process.execPath, [...SERVICE_FLAGS, RUN, 'src/main'], {
    env: {
      ...process.env,
      ...NO_LOAD_SHEDDING,
      ...LONG_DATABASE_TIMEOUT,
      ...environment,
      AFLUENTE_ENV_FILE: '',
      PORT: '0',
      LOG_LEVEL: 'info',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const refused = refusedStatements(child.stdout);
  const ready = new Promise<string>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      if (line.includes('"msg":"ready"')) resolve((JSON.parse(line) as { readonly url: string }).url);
    });
  });
  const url = await Promise.race([ready, closed.then(() => undefined)]);
  if (url === undefined) throw new Error(`the role ${environment['ROLE'] ?? ''} ended before it was ready`);
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await closed;
      refused.assertNone();
    },
  };
}
