import type { Hex } from 'viem';
import { InvariantError } from '../../src/errors/invariant-error';
import { type ApiClient, createApiClient, createDashboardClient } from './api-client';
import type { EmbeddedService } from './embedded-service';
import { createDemoWallet, type DemoWallet } from './wallet';

/** How long a busy machine may take for what usually takes less than a second. */
const RETRY_MS = 120_000;

/** The inputs of a demo: a client of the service, wallets with funds, and tokens by symbol. */
export interface Demo {
  readonly service: EmbeddedService;
  readonly api: ApiClient;
  /** A client of the same customer that acts as a user with the role `developer`. */
  dashboard(): ApiClient;
  /** Returns the wallet of the first account on a chain. */
  wallet(slug: string): DemoWallet;
  /** @throws InvariantError when the chain has no such token */
  token(slug: string, symbol: string): string;
  /** Returns a token of an EVM chain. */
  evmToken(slug: string, symbol: string): Hex;
  /** Controls an emulator. */
  control(emulator: string, path: string, body: object): Promise<void>;
}

export function openDemo(service: EmbeddedService): Demo {
  const customer = service.customers.find(({ name }) => name === 'demo');
  if (customer === undefined) throw new InvariantError('the embedded service has no demo customer');
  const chainOf = (slug: string) => {
    const chain = service.chains.find((candidate) => candidate.slug === slug);
    if (chain === undefined) throw new InvariantError(`the embedded service has no chain ${slug}`);
    return chain;
  };
  const token = (slug: string, symbol: string): string => {
    const address = chainOf(slug).tokens[symbol];
    if (address === undefined) throw new InvariantError(`${slug} has no token ${symbol}`);
    return address;
  };
  return {
    service,
    token,
    api: createApiClient(service.baseUrl, customer.apiKey, RETRY_MS),
    dashboard() {
      const token = customer.bearer?.['developer'];
      if (token === undefined) throw new InvariantError('the demo customer has no access token');
      return createDashboardClient(service.baseUrl, token);
    },
    wallet: (slug) => createDemoWallet(service, chainOf(slug).chainId),
    evmToken: (slug, symbol) => token(slug, symbol) as Hex,
    async control(emulator, path, body) {
      const url = service.emulators[emulator];
      if (url === undefined) throw new InvariantError(`the embedded service has no emulator ${emulator}`);
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!response.ok) throw new InvariantError(`${emulator} refused ${path}: ${await response.text()}`);
    },
  };
}
