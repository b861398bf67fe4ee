import { graphql } from 'graphql';
import { createRequestContext } from '../../src/auth/request-context';
import { isServiceError } from '../../src/errors/service-error';
import { createStrategies, type Strategies } from '../../src/strategies/catalog/strategies';
import { createLatestMarkets } from '../../src/strategies/market/latest-markets';
import { refreshMarkets } from '../../src/strategies/market/refresh-markets';
import type { StrategyRow } from '../../src/strategies/strategy-row';
import { findStrategy } from '../../src/strategies/views/list-strategies';
import { buildSubgraph } from '../../subgraphs/schema/build-subgraph';
import { MarketDataResolver, StrategyDetailResolver, StrategyResolver } from '../../subgraphs/strategies/resolver';
import { newCustomer } from '../actions/sample-action';
import { observed } from '../prices/observation';
import { until } from '../resilience/until';
import type { TestDatabase } from '../setup/test-database';
import { base, chains, ethereum, scriptedNodes, scriptedProtocol } from './scripted-catalog';

const fees = { entryBps: 10, performanceBps: 500, markupBps: 1000 };
const priced = {
  read: (tokens: readonly unknown[]) =>
    Promise.resolve(tokens.map(() => ({ price: { ...observed('2'), flags: [], isConfirmed: true } }))),
};
const opened: Strategies[] = [];

/** Ends what `catalogWorld` has started. */
export const closeCatalogs = (): Promise<unknown> => Promise.all(opened.splice(0).map((each) => each.stop()));

/** The catalog and market data in the graph, over scripted chains: Ethereum and Base. */
export async function catalogWorld(
  test: TestDatabase,
  rows: readonly StrategyRow[],
  { hasRate = true, isDown = false } = {},
) {
  const nodes = scriptedNodes([ethereum, base]);
  if (isDown) nodes.down.add(1).add(8453);
  const log = { warn: jest.fn() };
  const protocols = { erc4626: scriptedProtocol({ hasRate }) };
  const strategies = createStrategies({ rpc: nodes.rpc, log, chains, rows, protocols, times: { retryMs: 5 } });
  opened.push(strategies);
  strategies.start();
  await Promise.all([strategies.firstPass(1), strategies.firstPass(8453)]);
  const query = jest.fn((text: string, values?: unknown[]) => test.pool.query(text, values));
  const markets = createLatestMarkets({ pool: test.pool, log, maxAgeMs: 0 });
  const blockedAddresses = new Set<string>();
  const deps = { strategies, markets, chains, fees, blockedAddresses, pool: { query } as never };
  const { schema } = buildSubgraph({
    name: 'strategies',
    resolvers: [new StrategyResolver(deps), new StrategyDetailResolver(deps), new MarketDataResolver(deps)],
    references: { Strategy: ({ id }) => findStrategy(deps, String(id)) },
  });
  const run = async (source: string, signedIn = true) => {
    const principal = signedIn ? ({ kind: 'apiKey', customerId: newCustomer(), keyId: 'key' } as const) : undefined;
    const contextValue = createRequestContext({ requestId: 'r', principal, signal: new AbortController().signal });
    const { data, errors = [] } = await graphql({ schema, source, contextValue });
    const failures = errors.map(({ originalError, message }) =>
      isServiceError(originalError) ? originalError : { code: message, details: undefined },
    );
    return {
      data: data as any,
      codes: failures.map(({ code }) => code),
      details: failures.map((each) => each.details),
    };
  };
  const refresh = async () => {
    const deps = { rpc: nodes.rpc, pool: test.pool, log, strategies, protocols, prices: priced };
    for (const chain of [ethereum, base]) await refreshMarkets(deps, chain, new AbortController().signal);
    // A snapshot is read in the background of a request.
    await until('the market data is loaded', async () => {
      const { byStrategy } = await markets.read();
      const times = strategies.all().map(({ row }) => byStrategy.get(row.id.toLowerCase())?.observation.at.getTime());
      return times.every((time) => time === nodes.time * 1000);
    });
  };
  return { nodes, run, refresh, query, strategies };
}
