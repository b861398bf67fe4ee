import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadConfig } from '../../src/config/config';
import { environmentWithoutFile } from '../../src/config/environment';
import { invariant } from '../../src/errors/invariant-error';
import type { UniverseProcess } from '../../src/main/devnet-process';
import { type EmbeddedMode, startEmbeddedMode } from '../../src/main/embedded-mode';
import { seedCustomersOf } from '../../src/main/seed-customers';
import { applyMigrations } from '../../src/persistence/apply-migrations';
import { type ServerProcess, startServer } from './server-process';

export interface EmbeddedServer {
  readonly server: ServerProcess;
  /** Id and key of the customer of load tests. */
  readonly customerId: string;
  readonly apiKey: string;
  readonly databaseUrl: string;
  readonly chains: UniverseProcess['description']['chains'];
  /** The catalog of strategies. */
  readonly strategiesFile: string;
}

/**
 * Measures a server in its own process, on an embedded database and local chains that are removed afterwards. `prepare` changes
 * these before the server starts.
 */
export async function withEmbeddedServer(
  file: string,
  measure: (embedded: EmbeddedServer) => Promise<void>,
  prepare: (embedded: EmbeddedMode) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'afluente-bench-'));
  const embedded = await startEmbeddedMode(directory, {});
  try {
    await prepare(embedded);
    const { environment } = embedded;
    const config = loadConfig({ LOG_LEVEL: 'warn', ...environment });
    await applyMigrations({ url: config.DATABASE_URL, log: console });
    const customer = (await seedCustomersOf(config, [])).find(({ name }) => name === 'load');
    invariant(customer, 'the customer of load tests was not seeded');
    const { id: customerId, apiKey } = customer;
    const { chains } = embedded.universe.description;
    const server = await startServer({ ...environmentWithoutFile(), ...environment, LOG_LEVEL: 'info' }, file);
    try {
      const strategiesFile = environment['STRATEGIES_FILE'] ?? '';
      await measure({ server, customerId, apiKey, databaseUrl: config.DATABASE_URL, chains, strategiesFile });
    } finally {
      server.stop();
    }
  } finally {
    await embedded.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
