import '../../src/config/production';
import 'reflect-metadata';
import { Client } from 'pg';
import { loadConfig } from '../../src/config/config';
import { readEnvironment } from '../../src/config/environment';
import { exampleValues } from '../../src/main/example-values';
import { openInfrastructure } from '../../src/main/infrastructure';
import { createLogger } from '../../src/main/logger';
import { startGateway } from '../../src/main/service';
import { applyMigrations } from '../../src/persistence/apply-migrations';

/**
 * The measured process: the gateway as it is. Prints its address; responds to every message with its CPU time so far, in µs, and
 * the number of statements that it has sent to the database.
 */
async function main(): Promise<void> {
  const config = loadConfig({ ...readEnvironment(), PORT: '0' });
  const log = createLogger(config.LOG_LEVEL);
  await applyMigrations({ url: config.DATABASE_URL, log });
  const statements = countStatements();
  const { url } = await startGateway(openInfrastructure(config, log));
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ ownTimes: [], cpuMicroseconds: user + system, statements: statements() });
  });
  process.on('disconnect', () => process.exit());
  process.send?.({ url, trade: exampleValues(config) });
}

/** Each statement is one round trip: the service does not pipeline them. */
function countStatements(): () => number {
  let count = 0;
  const query = Object.getOwnPropertyDescriptor(Client.prototype, 'query')?.value as (...given: unknown[]) => unknown;
  Object.defineProperty(Client.prototype, 'query', {
    value(this: Client, ...given: unknown[]) {
      count += 1;
      return query.apply(this, given);
    },
  });
  return () => count;
}

void main();
