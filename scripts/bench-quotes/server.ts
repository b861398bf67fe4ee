import 'reflect-metadata';
import { loadConfig } from '../../src/config/config';
import { readEnvironment } from '../../src/config/environment';
import { exampleTrade } from '../../src/main/example-trade';
import { openInfrastructure } from '../../src/main/infrastructure';
import { createLogger } from '../../src/main/logger';
import { startGateway } from '../../src/main/service';
import { applyMigrations } from '../../src/persistence/apply-migrations';
import { createStubProviders, type OwnTimes } from './stub-providers';

/**
 * The measured process: the gateway with all that a quote needs, but for the providers. Says where it listens and what
 * can be traded; answers every message with the providers' own times and with the CPU time that it has used, in µs.
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
  process.send?.({ url, trade: exampleTrade(config.chains) });
}

void main();
