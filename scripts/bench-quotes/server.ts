import '../../src/config/production';
import 'reflect-metadata';
import { loadConfig } from '../../src/config/config';
import { readEnvironment } from '../../src/config/environment';
import { exampleValues } from '../../src/main/example-values';
import { openInfrastructure } from '../../src/main/infrastructure';
import { createLogger } from '../../src/main/logger';
import { startGateway } from '../../src/main/service';
import { applyMigrations } from '../../src/persistence/apply-migrations';
import { createStubProviders, type OwnTimes } from './stub-providers';

/**
 * The measured process: the gateway with everything that a quote needs except real providers. Prints its address and
 * the tokens to trade; responds to every message with the providers' own times and its CPU time so far, in µs.
 */
async function main(): Promise<void> {
  const config = loadConfig({ ...readEnvironment(), PORT: '0' });
  const log = createLogger(config.LOG_LEVEL);
  await applyMigrations({ url: config.DATABASE_URL, log });
  const ownTimes: OwnTimes = new Map();
  const infrastructure = openInfrastructure(config, log);
  const { url } = await startGateway({ ...infrastructure, providers: createStubProviders(ownTimes) });
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ ownTimes: [...ownTimes], cpuMicroseconds: user + system });
  });
  process.on('disconnect', () => process.exit());
  process.send?.({ url, trade: exampleValues(config) });
}

void main();
