import './config/production';
import 'reflect-metadata';
import closeWithGrace from 'close-with-grace';
import { resolveWithin } from './async/resolve-within';
import { checkEmbeddedEnvironment, type Config, ConfigError, loadConfig } from './config/config';
import { dataDirectory, readEnvironment } from './config/environment';
import { describeEmbedded, type EmbeddedDescription, keptCustomers, storeCustomers } from './main/describe-embedded';
import { assertUnclaimed } from './main/data-directory-claim';
import { assertEmbeddedPackages, type EmbeddedMode, startEmbeddedMode } from './main/embedded-mode';
import { openObservation } from './main/open-telemetry';
import { watchNpm } from './main/watch-npm';
import { assertPortIsFree } from './main/port';
import { StartupError } from './main/startup-error';
import { onStopSignal, STOP_SIGNALS } from './main/stop-signals';
import { MigrationError } from './persistence/migration-error';
import { EmbeddedPostgresError } from './persistence/embedded/embedded-postgres-error';
import { type Stop, stopAll } from './main/stop-all';

/** Time for all parts to stop while the configuration is unknown. */
const DEFAULT_GRACE_MS = 15_000;
/** Time for the other parts to stop, in addition to the drain and the longest request. */
const STOP_MS = 10_000;

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '::1']);

/** Errors whose message suffices for the operator. */
const FOR_THE_OPERATOR = [StartupError, ConfigError, MigrationError, EmbeddedPostgresError];

/**
 * Starts the service. Without DATABASE_URL it runs in embedded mode, with its own database and chains. Only this function
 * decides the mode.
 */
async function main(): Promise<void> {
  const environment = readEnvironment(console.warn);
  const isConfigured = (environment['DATABASE_URL'] ?? '') !== '';
  const running: Running = { stops: [], graceMs: DEFAULT_GRACE_MS };
  // The grace period depends on the configuration, hence no delay here.
  const options = { delay: false as const, logger: false as const, skip: STOP_SIGNALS };
  const closing = closeWithGrace(options, async ({ err }) => {
    if (err !== undefined) console.error(err);
    if (!isConfigured) console.log('Stopping …');
    await stopInTime(running);
    if (!isConfigured) console.log('Stopped. "npm start" continues with the same data.');
  });
  onStopSignal(() => closing.close());
  watchNpm(() => process.kill(process.pid, 'SIGTERM'));
  try {
    await (isConfigured ? startConfigured(environment, running) : startEmbedded(environment, running));
  } catch (error) {
    printFailure(error);
    // Parts that are only half started are not among the stops and could keep the process alive.
    await stopAll(running.stops).finally(() => process.exit(1));
  }
}

function printFailure(error: unknown): void {
  const isForTheOperator = FOR_THE_OPERATOR.some((kind) => error instanceof kind);
  console.error(isForTheOperator ? (error as Error).message : error);
}

interface Running {
  readonly stops: Stop[];
  /** Maximum time between a stop signal and the end of the process. */
  graceMs: number;
}

/** Ends the process with 1 when a part does not stop within the grace period, or fails to stop. */
async function stopInTime({ stops, graceMs }: Running): Promise<void> {
  const stopped = stopAll(stops).then(
    () => true,
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
  if ((await resolveWithin(stopped, graceMs)) === true) return;
  console.error(
    `The service did not stop within ${graceMs / 1000} s. It ends now; requests that were running are lost.`,
  );
  process.exit(1);
}

/** Stops what still runs and ends the process with 1. */
async function endAfterFailure(running: Running, reason: string): Promise<never> {
  console.error(`${reason} The service stops, and its data is kept. Start it again with npm start.`);
  await stopInTime(running);
  process.exit(1);
}

const graceOf = ({ SHUTDOWN_DRAIN_MS, REQUEST_TIMEOUT_MS }: Config): number =>
  SHUTDOWN_DRAIN_MS + REQUEST_TIMEOUT_MS + STOP_MS;

async function startConfigured(environment: NodeJS.ProcessEnv, running: Running): Promise<void> {
  const config = loadConfig(environment);
  running.graceMs = graceOf(config);
  const { log, telemetry } = await openObservation(config);
  for (const warning of config.warnings) log.warn(warning);
  const { startService } = await import('./main/service');
  const service = await startService(config, log, telemetry);
  running.stops.push(async () => {
    log.info({ drainMs: config.SHUTDOWN_DRAIN_MS }, 'stopping: readiness is 503, and the port closes after the drain');
    await service.stop();
    log.info('stopped');
  });
  log.info({ role: config.ROLE, url: service.url }, 'ready');
}

async function startEmbedded(environment: NodeJS.ProcessEnv, running: Running): Promise<void> {
  const { stops } = running;
  checkEmbeddedEnvironment(environment);
  assertEmbeddedPackages();
  const directory = dataDirectory(environment);
  // Before the port: a second start in the same folder has to choose both.
  assertUnclaimed(directory);
  await assertPortIsFree(environment);
  console.log('Starting PostgreSQL and the local chains …');
  const starting = startEmbeddedMode(directory, environment);
  starting.then((embedded) => stops.push(() => embedded.stop())).catch(() => undefined); // awaited below
  // Loading the service takes about as long as database and chains take to start, so both happen at once.
  const [{ startService }, { seedCustomersOf }, { applyMigrations }] = await Promise.all([
    import('./main/service'),
    import('./main/seed-customers'),
    import('./persistence/apply-migrations'),
  ]);
  const embedded = await starting;
  void embedded.failed.then((reason) => endAfterFailure(running, reason));
  const config = loadConfig({ LOG_LEVEL: 'warn', ...embedded.environment });
  running.graceMs = graceOf(config);
  for (const warning of config.warnings) console.warn(warning);
  const { log, telemetry } = await openObservation(config);
  await applyMigrations({ url: config.DATABASE_URL, log });
  const customers = await seedCustomersOf(config, keptCustomers(directory));
  storeCustomers(directory, customers);
  // Pages that other machines can open show no key.
  const exampleKey = LOOPBACK_HOSTS.has(config.HOST) ? customers[0]?.apiKey : undefined;
  const shown = { ...config, EXAMPLE_API_KEY: config.EXAMPLE_API_KEY ?? exampleKey };
  const service = await startService(shown, log, telemetry);
  stops.push(() => service.stop());
  await announce(embedded, { baseUrl: service.url, customers });
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

main().catch((error: unknown) => {
  printFailure(error);
  process.exit(1);
});
