import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { dataDirectory, readEnvironment } from '../../src/config/environment';
import { InvariantError } from '../../src/errors/invariant-error';

const hex = z.templateLiteral(['0x', z.string()]);

const embeddedSchema = z.object({
  baseUrl: z.url(),
  graphqlUrl: z.url(),
  customers: z.array(
    z.object({
      name: z.string(),
      apiKey: z.string(),
      webhookSecret: z.string().optional(),
      bearer: z.record(z.string(), z.string()).optional(),
    }),
  ),
  chains: z.array(
    z.object({ slug: z.string(), chainId: z.number(), rpcUrl: z.url(), tokens: z.record(z.string(), z.string()) }),
  ),
  accounts: z.array(z.object({ address: hex, privateKey: hex })),
  solanaAccounts: z.array(z.object({ address: z.string(), secretKey: z.string() })),
  emulators: z.record(z.string(), z.url()),
});

/** The running service in embedded mode, as described in its data directory. */
export type EmbeddedService = z.infer<typeof embeddedSchema>;

/** @throws InvariantError, with the next step, when no service runs on the data directory, or when it is not ready */
export async function findEmbeddedService(): Promise<EmbeddedService> {
  const file = path.join(dataDirectory(readEnvironment()), 'embedded.json');
  let service: EmbeddedService;
  try {
    service = embeddedSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new InvariantError(`${file} cannot be read: start the service with "npm start" first`, { cause: error });
  }
  await becomeReady(service.baseUrl);
  await assertChainsRun(service);
  return service;
}

/** How long a service that responds, but is not ready, is waited for. */
const READY_WITHIN_MS = 30_000;

/** @throws InvariantError when no service responds, or when it does not become ready in time */
export async function becomeReady(baseUrl: string, withinMs = READY_WITHIN_MS): Promise<void> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const readiness = await fetch(`${baseUrl}/health/ready`).catch(() => undefined);
    if (readiness === undefined) {
      throw new InvariantError(`no service responds at ${baseUrl}: start it with "npm start" first`);
    }
    if (readiness.ok) return;
    if (Date.now() > deadline) {
      throw new InvariantError(`the service is not ready: ${baseUrl}/health says which of its parts is down`);
    }
    await sleep(500);
  }
}

/** @throws InvariantError when a local chain does not respond, as after a start of the service on other chains */
export async function assertChainsRun({ chains }: Pick<EmbeddedService, 'chains'>): Promise<void> {
  await Promise.all(
    chains.map(async ({ slug, rpcUrl }) => {
      // Any response will do.
      const isRunning = await fetch(rpcUrl, { method: 'POST' }).then(
        () => true,
        () => false,
      );
      if (isRunning) return;
      throw new InvariantError(
        `the local chain ${slug} does not run at ${rpcUrl}: start it with "DATABASE_URL= npm start"`,
      );
    }),
  );
}
