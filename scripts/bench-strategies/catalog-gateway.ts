import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { loadConfig } from '../../src/config/config';
import { createApiKey } from '../../src/customers/api-keys';
import { createCustomer } from '../../src/customers/customers';
import { invariant } from '../../src/errors/invariant-error';
import { openInfrastructure } from '../../src/main/infrastructure';
import { startGateway } from '../../src/main/service';
import { createStrategies } from '../../src/strategies/catalog/strategies';
import { refreshMarkets } from '../../src/strategies/market/refresh-markets';
import { createTestDatabase } from '../../test/setup/test-database';
import { ethereum, rowOf, scriptedNodes, scriptedProtocol } from '../../test/strategies/scripted-catalog';

const PEPPER = 'ab'.repeat(32);

export interface CatalogGateway {
  readonly url: string;
  readonly apiKey: string;
  /** eth_calls that a refresh of all strategies took. */
  readonly refreshCalls: number;
  stop(): Promise<void>;
}

/** A gateway with `count` strategies of one chain, whose nodes are scripted, and with stored market data of each. */
export async function startCatalogGateway(count: number): Promise<CatalogGateway> {
  const test = await createTestDatabase();
  const directory = mkdtempSync(path.join(tmpdir(), 'afluente-strategies-'));
  const file = path.join(directory, 'strategies.json');
  writeFileSync(file, JSON.stringify(Array.from({ length: count }, (_, index) => rowOf(index))));
  const config = loadConfig({
    DATABASE_URL: test.url,
    API_KEY_PEPPER: PEPPER,
    PORT: '0',
    SHUTDOWN_DRAIN_MS: '0',
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_PER_HOUR: '1000000',
    STRATEGIES_FILE: file,
  });
  const { id } = await createCustomer(test.database, { name: `catalog of ${String(count)}` });
  const created = await createApiKey({ database: test.database, pepper: PEPPER }, { customerId: id, label: 'bench' });
  invariant(created, 'the API key was not created');
  const log = pino({ level: 'error' });
  const infrastructure = openInfrastructure(config, log);
  const nodes = scriptedNodes();
  const protocols = { erc4626: scriptedProtocol() };
  const chains = config.chains.table;
  const strategies = createStrategies({ rpc: nodes.rpc, log, chains, rows: config.strategies, protocols });
  strategies.start();
  await strategies.firstPass(ethereum.chainId);
  nodes.calls = 0;
  const prices = { read: (tokens: readonly unknown[]) => Promise.resolve(tokens.map(() => UNPRICED)) };
  const deps = { rpc: nodes.rpc, pool: test.pool, log, strategies, protocols, prices };
  const { stored } = await refreshMarkets(deps, ethereum, new AbortController().signal);
  invariant(stored === count, 'market data of some strategies is missing');
  const refreshCalls = nodes.calls;
  const server = await startGateway({ ...infrastructure, strategies });
  return {
    url: server.url,
    apiKey: created.key,
    refreshCalls,
    async stop() {
      await server.close();
      await strategies.stop();
      await infrastructure.close();
      await test.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const UNPRICED = { missing: 'NO_SOURCE' } as const;
