import 'reflect-metadata';
import closeWithGrace from 'close-with-grace';
import { ConfigError, loadConfig } from './config/config';
import { dataDirectory, readEnvironment } from './config/environment';
import { describeEmbedded, keptCustomers } from './main/describe-embedded';
import { type EmbeddedMode, startEmbeddedMode } from './main/embedded-mode';
import { createLogger } from './main/logger';
import { watchNpm } from './main/owner-watch';
import { assertPortIsFree } from './main/port';
import { seedCustomersOf } from './main/seed-customers';
import { type Service, startService } from './main/service';
import { StartupError } from './main/startup-error';

const GRACE_MS = 15_000;

/**
 * Starts the service. Without DATABASE_URL it runs in embedded mode, which brings a database and chains of its own;
 * this is the only place where that is decided.
 */
async function main(): Promise<void> {
  const environment = readEnvironment();
  const isConfigured = (environment['DATABASE_URL'] ?? '') !== '';
  const stops: (() => Promise<void>)[] = [];
  closeWithGrace({ delay: GRACE_MS, logger: false }, async ({ err }) => {
    if (err !== undefined) console.error(err);
    for (const stop of [...stops].reverse()) await stop();
  });
  if (isConfigured) await startConfigured(environment, stops);
  else await startEmbedded(environment, stops);
}

async function startConfigured(environment: NodeJS.ProcessEnv, stops: (() => Promise<void>)[]): Promise<void> {
  const config = loadConfig(environment);
  const log = createLogger(config.LOG_LEVEL);
  const service = await startService(config, log);
  stops.push(() => service.stop());
  log.info({ role: config.ROLE, url: service.url }, 'ready');
}

async function startEmbedded(environment: NodeJS.ProcessEnv, stops: (() => Promise<void>)[]): Promise<void> {
  watchNpm(() => process.kill(process.pid, 'SIGTERM'));
  await assertPortIsFree(environment);
  const directory = dataDirectory(environment);
  const embedded = await startEmbeddedMode(directory, environment);
  stops.push(() => embedded.stop());
  const config = loadConfig({ LOG_LEVEL: 'warn', ...embedded.environment });
  const service = await startService(config, createLogger(config.LOG_LEVEL));
  stops.push(() => service.stop());
  const customers = await seedCustomersOf(config, keptCustomers(directory));
  await announce(embedded, { service, customers });
}

interface Announcement {
  readonly service: Service;
  readonly customers: Awaited<ReturnType<typeof seedCustomersOf>>;
}

async function announce(embedded: EmbeddedMode, { service, customers }: Announcement): Promise<void> {
  const baseUrl = service.url;
  if (baseUrl === undefined) return;
  const file = await describeEmbedded(embedded, { baseUrl, customers });
  const chains = embedded.universe.description.chains.map(({ slug, rpcUrl }) => `${slug} ${rpcUrl}`).join(', ');
  console.log(`
Afluente is ready.
  REST       ${baseUrl}
  GraphiQL   ${baseUrl}/graphql
  API docs   ${baseUrl}/docs
  API key    ${customers[0]?.apiKey ?? ''}
  Chains     ${chains}
  Details    ${file}

Try "npm run demo" in another terminal. Ctrl-C stops everything; "npm run reset" forgets everything.`);
}

main().catch((error: unknown) => {
  const isForTheOperator = error instanceof StartupError || error instanceof ConfigError;
  console.error(isForTheOperator ? error.message : error);
  process.exitCode = 1;
  // Through the handler that stops what has been started.
  process.kill(process.pid, 'SIGTERM');
});
