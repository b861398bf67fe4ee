import type { Logger } from 'pino';
import { createHeavyWork } from '../../gateway/edge/overload/heavy-work';
import { serveSubgraph, type SubgraphServerOptions } from '../../gateway/federation/subgraph/serve-subgraph';
import { serveHealth } from '../../gateway/http/health-server';
import { mountHealthRoutes } from '../../gateway/http/health-routes';
import { measureRequests } from '../../gateway/http/request-metrics';
import { createGatewayServer } from '../../gateway/http/server';
import type { Config } from '../config/config';
import { applyMigrations } from '../persistence/apply-migrations';
import { runForService } from '../persistence/customer-scope';
import { checkSecretFingerprints } from '../persistence/secret-fingerprints';
import { rowLevelSecurityProblems, rowLevelSecurityWarnings } from '../persistence/check-row-level-security';
import { awaitDatabase } from './await-database';
import { exampleValues } from './example-values';
import { openGraph } from './graph';
import { fieldChecks } from './field-checks';
import { openOrderProblems, openOrderWarnings } from './open-stocks';
import { strategyProblems } from './open-strategies';
import { openHealth } from './open-health';
import { type Infrastructure, openInfrastructure } from './infrastructure';
import { logDependencyProblems } from './log-dependency-problems';
import { collectHeavyWork } from './metrics/process-collectors';
import { NO_OPEN_TELEMETRY, type OpenTelemetry } from './open-telemetry';
import { StartupError } from './startup-error';
import { openPaymentQrCode } from './payment-qr-code';
import { openRampCallbacks } from './ramp-callbacks';
import { createSubgraph } from './subgraphs';
import { type Stop, stopAll } from './stop-all';
import { startWorker, type Worker } from './worker';

export interface Service {
  /** Base URL. A worker serves the health routes alone. */
  readonly url: string;
  /** Resolves when running work has ended and all parts are stopped. */
  stop(): Promise<void>;
}

/** Starts the configured role. @throws StartupError */
export async function startService(
  config: Config,
  log: Logger,
  telemetry: OpenTelemetry = NO_OPEN_TELEMETRY,
): Promise<Service> {
  const contradictions = strategyProblems(config);
  if (contradictions.length > 0) throw new StartupError(contradictions.join('\n'));
  await awaitDatabase({ url: config.DATABASE_URL, log });
  await applyMigrations({ url: config.DATABASE_URL, log });
  const infrastructure = openInfrastructure(config, log, telemetry);
  const stops: Stop[] = [() => telemetry.close(), () => infrastructure.close()];
  try {
    await telemetry.serve(infrastructure);
    const problems = await runForService('startUp', () => startProblems(infrastructure));
    if (problems.length > 0) throw new StartupError(problems.join('\n'));
    const warnings = await runForService('startUp', () => startWarnings(infrastructure));
    for (const warning of warnings) log.warn(warning);
    const url = await startRole(infrastructure, stops);
    return { url, stop: () => stopAll(stops) };
  } catch (error) {
    await stopAll(stops);
    throw error;
  }
}

/** Sentences for the operator about what keeps the service from starting. */
const startProblems = async (infrastructure: Infrastructure): Promise<readonly string[]> => [
  ...(await rowLevelSecurityProblems(infrastructure)),
  ...(await checkSecretFingerprints(infrastructure, infrastructure.config)),
  ...(await openOrderProblems(infrastructure.database, infrastructure.config)),
];

/** Sentences for the operator about risks. */
const startWarnings = async (infrastructure: Infrastructure): Promise<readonly string[]> => [
  ...(await rowLevelSecurityWarnings(infrastructure)),
  ...(await openOrderWarnings(infrastructure.database, infrastructure.config)),
];

/** Starts the parts of a role and adds the function that stops each to `stops`. */
async function startRole(infrastructure: Infrastructure, stops: Stop[]): Promise<string> {
  const { ROLE } = infrastructure.config;
  const works = ROLE === 'all' || ROLE === 'worker';
  const worker = works ? await runForService('worker', () => startWorker(infrastructure)) : undefined;
  if (worker !== undefined) stops.push(() => runForService('worker', () => worker.stop()));
  const served = await listening(infrastructure, () => startServer(infrastructure, worker));
  stops.push(() => served.close());
  return served.url;
}

function startServer(infrastructure: Infrastructure, worker: Worker | undefined): Promise<Served> {
  const { ROLE, HOST: host, PORT: port } = infrastructure.config;
  if (ROLE === 'subgraph') return startSubgraph(infrastructure);
  if (ROLE !== 'worker') return startGateway(infrastructure, worker);
  // No load balancer sends requests to a worker: it needs no drain.
  return serveHealth({ host, port, health: openHealth(infrastructure, { jobs: worker?.status }), drainMs: 0 });
}

/** @throws StartupError when the port is in use */
async function listening({ config: { HOST, PORT } }: Infrastructure, start: () => Promise<Served>): Promise<Served> {
  try {
    return await start();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new StartupError(`Port ${String(PORT)} of ${HOST} is already in use. Set PORT to a free one.`);
  }
}

interface Served {
  readonly url: string;
  close(): Promise<void>;
}

async function startSubgraph(infrastructure: Infrastructure): Promise<Served> {
  const { SUBGRAPH, INTERNAL_SECRET, HOST, PORT, SHUTDOWN_DRAIN_MS, SUBGRAPH_TIMEOUT_MS } = infrastructure.config;
  if (SUBGRAPH === undefined || INTERNAL_SECRET === undefined) {
    throw new StartupError('The role "subgraph" requires SUBGRAPH and INTERNAL_SECRET.');
  }
  const { schema } = createSubgraph(SUBGRAPH, infrastructure);
  const { log } = infrastructure;
  const times = { drainMs: SHUTDOWN_DRAIN_MS, limitMs: SUBGRAPH_TIMEOUT_MS };
  const health = openHealth(infrastructure, {});
  const { metrics, tracer } = infrastructure.telemetry;
  const mount: SubgraphServerOptions['mount'] = (app, isOpen) => {
    if (metrics !== undefined) measureRequests(app, metrics);
    mountHealthRoutes(app, health, isOpen);
  };
  const listen = { internalSecret: INTERNAL_SECRET, host: HOST, port: PORT };
  return serveSubgraph({ schema, ...listen, ...times, log, tracer, mount });
}

/** Starts the gateway server. */
export async function startGateway(infrastructure: Infrastructure, worker?: Worker): Promise<Served> {
  const { config, log, access } = infrastructure;
  const { authenticator, rateLimiter, idempotency, findLimit, identityProviderState: identityProvider } = access;
  const { graph, subgraphStates: subgraphs } = await openGraph(infrastructure);
  const health = openHealth(infrastructure, { jobs: worker?.status, subgraphs, identityProvider });
  const example = exampleValues(config);
  const [rampCallbacks, paymentQrCode] = [openRampCallbacks(infrastructure), openPaymentQrCode(infrastructure)];
  const { metrics, tracer } = infrastructure.telemetry;
  const onRefused = metrics && ((work: string) => metrics.count('shedRequests', { work }));
  const heavyWork = createHeavyWork({ config, log, onRefused });
  if (metrics !== undefined) collectHeavyWork(metrics, heavyWork);
  const edge = { config, graph, authenticator, rateLimiter, idempotency, findLimit, heavyWork, health, example };
  const routes = { rampCallbacks, paymentQrCode, fieldChecks: fieldChecks(config) };
  const server = createGatewayServer({ ...edge, ...routes, log, metrics, tracer });
  const url = await server.listen();
  rampCallbacks.subscribe(config.PUBLIC_URL ?? url);
  void logDependencyProblems({ log, subgraphs, identityProvider });
  return {
    url: config.PUBLIC_URL ?? url,
    async close() {
      await server.close();
      heavyWork.stop();
      await rampCallbacks.stop();
      await graph.close();
    },
  };
}
