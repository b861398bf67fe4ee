import { readFileSync } from 'node:fs';
import path from 'node:path';
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

/** @throws InvariantError, with the next step, when no service runs on the data directory. */
export async function findEmbeddedService(): Promise<EmbeddedService> {
  const file = path.join(dataDirectory(readEnvironment()), 'embedded.json');
  let service: EmbeddedService;
  try {
    service = embeddedSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new InvariantError(`${file} cannot be read: start the service with "npm start" first`, { cause: error });
  }
  const health = await fetch(`${service.baseUrl}/health/ready`).catch(() => undefined);
  if (health?.ok !== true) {
    throw new InvariantError(`no service responds at ${service.baseUrl}: start it with "npm start" first`);
  }
  await assertChainsRun(service);
  return service;
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
