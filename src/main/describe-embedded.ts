import path from 'node:path';
import { z } from 'zod';
import { ROLES } from '../auth/principal';
import type { EmbeddedMode } from './embedded-mode';
import { readJsonIfPresent, writePrivateJson } from './private-files';

const THIRTY_DAYS = 30 * 86_400;

const keptSchema = z.object({
  customers: z.array(
    z.object({ id: z.string(), name: z.string(), apiKey: z.string(), webhookSecret: z.string().optional() }),
  ),
});
export type EmbeddedCustomer = z.infer<typeof keptSchema>['customers'][number];

/** The customers of an earlier start on this directory. */
export function keptCustomers(directory: string): readonly EmbeddedCustomer[] {
  const kept = ['customers.json', 'embedded.json'].map((file) =>
    keptSchema.safeParse(readJsonIfPresent(path.join(directory, file))),
  );
  return kept.find(({ success }) => success)?.data?.customers ?? [];
}

/** Stores the customers before the service starts: a start that fails must not create them again. */
export const storeCustomers = (directory: string, customers: readonly EmbeddedCustomer[]): void =>
  writePrivateJson(path.join(directory, 'customers.json'), { customers });

export interface EmbeddedDescription {
  readonly baseUrl: string;
  readonly customers: readonly EmbeddedCustomer[];
}

/** Writes `embedded.json`: the URLs of all parts and the credentials of the demo customers. */
export async function describeEmbedded(
  embedded: EmbeddedMode,
  { baseUrl, customers }: EmbeddedDescription,
): Promise<string> {
  const { universe, directory } = embedded;
  const { chains, accounts, solanaAccounts, strategies, emulators } = universe.description;
  const file = path.join(directory, 'embedded.json');
  writePrivateJson(file, {
    baseUrl,
    graphqlUrl: `${baseUrl}/graphql`,
    customers: await Promise.all(
      customers.map(async (customer) => ({ ...customer, bearer: await bearerTokens(embedded, customer.id) })),
    ),
    chains: chains.map(({ slug, chainId, rpcUrl, tokens }) => ({
      slug,
      chainId,
      rpcUrl,
      tokens: Object.fromEntries(tokens.map(({ symbol, address }) => [symbol, address])),
    })),
    accounts,
    solanaAccounts,
    strategies,
    emulators,
  });
  return file;
}

async function bearerTokens({ universe }: EmbeddedMode, customerId: string): Promise<Record<string, string>> {
  const tokens = await Promise.all(
    ROLES.map(async (role) => {
      const subject = `${role}@${customerId}`;
      return [role, await universe.issueToken({ customerId, subject, role, expiresInSeconds: THIRTY_DAYS })] as const;
    }),
  );
  return Object.fromEntries(tokens);
}
