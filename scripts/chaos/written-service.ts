import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../devnet/free-port';
import { NATIVE_TOKEN } from '../../src/chains/addresses';
import { loadConfig } from '../../src/config/config';
import { startEmbeddedMode } from '../../src/main/embedded-mode';
import { exampleValues } from '../../src/main/example-values';
import { type OpenDatabase, openDatabase } from '../../src/persistence/database';
import { startReceiver } from '../webhooks/receiver';
import { addReceiver } from './add-receiver';
import { requireThat } from './chaos-failure';
import type { ScenarioSetup } from './scenario';
import { type ServiceProcess, startService } from './service-process';
import type { WriteTarget } from './write-client';

/** Out of reach of the scenarios, which leave their actions open. */
const LIMITS = { MAX_OPEN_ACTIONS: '1000000', MAX_OPEN_DRAFTS: '1000000' };
const POLL_MS = 20;
const LIMIT_MS = 180_000;

/** A service whose clients write, its local chains, and the receiver of its webhooks. */
export interface WrittenService {
  readonly target: WriteTarget;
  readonly customerId: string;
  /** Ids of the webhooks that the receiver has verified. */
  readonly received: ReadonlySet<string>;
  /** Webhooks without a valid signature. */
  readonly unverified: readonly string[];
  /** Starts the service on its port. Resolves when it is ready. */
  start(): Promise<ServiceProcess>;
  /** Uses the database of the service. */
  query<Result>(work: (opened: OpenDatabase) => Promise<Result>): Promise<Result>;
}

export async function withWrittenService<Result>(
  { settings, directory, apiKey }: ScenarioSetup,
  work: (service: WrittenService) => Promise<Result>,
): Promise<Result> {
  // Its own database stays empty: the scenario may stop that of the setup.
  const embedded = await startEmbeddedMode(path.join(directory, 'chains'), settings);
  const [received, unverified, secrets] = [new Set<string>(), [] as string[], [] as string[]];
  const receiver = await startReceiver({
    port: 0,
    secrets: () => secrets,
    onEvent({ id, isVerified }) {
      if (isVerified) received.add(id);
      else unverified.push(id);
    },
  });
  try {
    const port = await freePort();
    const environment = { ...embedded.environment, LOG_LEVEL: 'info', PORT: String(port), ...LIMITS };
    const query = databaseOf(settings.DATABASE_URL);
    const customerId = await query(customerOf);
    const { secret } = await query((opened) => addReceiver(opened, environment, { customerId, url: receiver.url }));
    secrets.push(secret);
    const target = { ...tradeOf(environment), url: `http://127.0.0.1:${String(port)}`, apiKey };
    return await work({
      target,
      customerId,
      received,
      unverified,
      start: () => startReady(environment),
      query,
    });
  } finally {
    await receiver.close();
    await embedded.stop();
  }
}

/** A customer's coin for its wrapped form, on the first local chain. */
function tradeOf(environment: NodeJS.ProcessEnv): Omit<WriteTarget, 'url' | 'apiKey'> {
  const { chain, wallet, tokenOut } = exampleValues(loadConfig(environment));
  return { chain, wallet, tokenIn: NATIVE_TOKEN, tokenOut };
}

const databaseOf =
  (url: string): WrittenService['query'] =>
  async (work) => {
    const opened = openDatabase({ url, poolSize: 2, log: { warn: () => undefined } });
    return work(opened).finally(() => opened.close());
  };

/** Id of the customer of all scenarios. */
async function customerOf({ database }: OpenDatabase): Promise<string> {
  const customer = await database.customer.findFirst({ where: { name: 'chaos' } });
  requireThat(customer !== null, 'the customer of the scenarios is missing');
  return customer.id;
}

async function startReady(environment: NodeJS.ProcessEnv): Promise<ServiceProcess> {
  const service = await startService(environment);
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const { status } = await fetch(`${service.url}/health/ready`);
    if (status === 200) return service;
    requireThat(performance.now() < deadline, 'the service does not get ready');
    await wait(POLL_MS);
  }
}
