import 'reflect-metadata';
import closeWithGrace from 'close-with-grace';
import { ConfigError, loadConfig } from './config/config';
import { dataDirectory, readEnvironment } from './config/environment';
import { describeEmbedded, type EmbeddedDescription, keptCustomers } from './main/describe-embedded';
import { type EmbeddedMode, startEmbeddedMode } from './main/embedded-mode';
import { createLogger } from './main/logger';
import { watchNpm } from './main/owner-watch';
import { assertPortIsFree } from './main/port';
import { StartupError } from './main/startup-error';
import { onStopSignal, STOP_SIGNALS } from './main/stop-signals';
import { MigrationError } from './persistence/apply-migrations';
import { EmbeddedPostgresError } from './persistence/embedded/embedded-postgres-error';
import { type Stop, stopAll } from './main/stop-all';

const GRACE_MS = 15_000;

/** Errors whose message suffices for the operator. */
const FOR_THE_OPERATOR = [StartupError, ConfigError, MigrationError, EmbeddedPostgresError];

/**
 * Starts the service. Without DATABASE_URL it runs in embedded mode, with its own database and chains. Only this function
 * decides the mode.
 */
async function main(): Promise<void> {
  const environment = readEnvironment();
  const isConfigured = (environment['DATABASE_URL'] ?? '') !== '';
  const stops: Stop[] = [];
  const options = { delay: GRACE_MS, logger: false as const, skip: STOP_SIGNALS };
  const closing = closeWithGrace(options, async ({ err }) => {
    if (err !== undefined) console.error(err);
    await stopAll(stops);
  });
  onStopSignal(() => closing.close());
  try {
    await (isConfigured ? startConfigured(environment, stops) : startEmbedded(environment, stops));
  } catch (error) {
    const isForTheOperator = FOR_THE_OPERATOR.some((kind) => error instanceof kind);
    console.error(isForTheOperator ? (error as Error).message : error);
    // Parts that are only half started are not among the stops and could keep the process alive.
    await stopAll(stops).finally(() => process.exit(1));
  }
}

async function startConfigured(environment: NodeJS.ProcessEnv, stops: Stop[]): Promise<void> {
  const config = loadConfig(environment);
  const log = createLogger(config.LOG_LEVEL);
  const { startService } = await import('./main/service');
  const service = await startService(config, log);
  stops.push(() => service.stop());
  log.info({ role: config.ROLE, url: service.url }, 'ready');
}

async function startEmbedded(environment: NodeJS.ProcessEnv, stops: Stop[]): Promise<void> {
  watchNpm(() => process.kill(process.pid, 'SIGTERM'));
  await assertPortIsFree(environment);
  const directory = dataDirectory(environment);
  console.log('Starting PostgreSQL and the local chains …');
  const starting = startEmbeddedMode(directory, environment);
  starting.then((embedded) => stops.push(() => embedded.stop())).catch(() => undefined); // awaited below
  // Loading the service takes about as long as database and chains take to start, so both happen at once.
  const [{ startService }, { seedCustomersOf }] = await Promise.all([
    import('./main/service'),
    import('./main/seed-customers'),
  ]);
  const embedded = await starting;
  const config = loadConfig({ LOG_LEVEL: 'warn', ...embedded.environment });
  const service = await startService(config, createLogger(config.LOG_LEVEL));
  stops.push(() => service.stop());
  const customers = await seedCustomersOf(config, keptCustomers(directory));
  if (service.url !== undefined) await announce(embedded, { baseUrl: service.url, customers });
}

async function announce(embedded: EmbeddedMode, { baseUrl, customers }: EmbeddedDescription): Promise<void> {
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

void main();
