import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadConfig } from '../../src/config/config';
import { environmentWithoutFile } from '../../src/config/environment';
import { invariant } from '../../src/errors/invariant-error';
import { startEmbeddedMode } from '../../src/main/embedded-mode';
import { seedCustomersOf } from '../../src/main/seed-customers';
import { applyMigrations } from '../../src/persistence/apply-migrations';
import { type ServerProcess, startServer } from './server-process';

export interface EmbeddedServer {
  readonly server: ServerProcess;
  /** Key of the customer of load tests. */
  readonly apiKey: string;
}

/** Measures a server in its own process, on an embedded database and local chains that are removed afterwards. */
export async function withEmbeddedServer(
  file: string,
  measure: (embedded: EmbeddedServer) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'afluente-bench-'));
  const embedded = await startEmbeddedMode(directory, {});
  try {
    const { environment } = embedded;
    const config = loadConfig({ LOG_LEVEL: 'warn', ...environment });
    await applyMigrations({ url: config.DATABASE_URL, log: console });
    const apiKey = (await seedCustomersOf(config, [])).find(({ name }) => name === 'load')?.apiKey;
    invariant(apiKey, 'the customer of load tests was not seeded');
    const server = await startServer({ ...environmentWithoutFile(), ...environment, LOG_LEVEL: 'info' }, file);
    try {
      await measure({ server, apiKey });
    } finally {
      server.stop();
    }
  } finally {
    await embedded.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
