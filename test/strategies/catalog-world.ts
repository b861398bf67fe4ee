import { graphql } from 'graphql';
import type { Principal } from '../../src/auth/principal';
import { createRequestContext } from '../../src/auth/request-context';
import { isServiceError } from '../../src/errors/service-error';
import { createStrategies, type Strategies } from '../../src/strategies/catalog/strategies';
import { createLatestMarkets } from '../../src/strategies/market/latest-markets';
import { refreshMarkets } from '../../src/strategies/market/refresh-markets';
import type { StrategyRow } from '../../src/strategies/strategy-row';
import { createFeeReader } from '../../src/strategies/fees/customer-fees';
import { findStrategy } from '../../src/strategies/views/list-strategies';
import { buildSubgraph } from '../../subgraphs/schema/build-subgraph';
import { requestFees } from '../../subgraphs/strategies';
import { StrategyFeeResolver } from '../../subgraphs/strategies/fees/resolver';
import { MarketDataResolver, StrategyDetailResolver, StrategyResolver } from '../../subgraphs/strategies/resolver';
import { newCustomer } from '../actions/sample-action';
import { observed } from '../prices/observation';
import { until } from '../resilience/until';
import type { TestDatabase } from '../setup/test-database';
import { addressOf, base, chains, ethereum, scriptedNodes, scriptedProtocol } from './scripted-catalog';

const defaults = { entryBps: 10, performanceBps: 500, markupBps: 1000, collector: addressOf(4242), marks: [] };
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
  const { database } = test;
  const activated = rows.map(({ id, chainId }) => ({
    strategyId: id.toLowerCase(),
    chainId: BigInt(chainId),
    performanceBps: defaults.performanceBps,
    markupBps: defaults.markupBps,
  }));
  await database.deploymentFees.createMany({ data: activated, skipDuplicates: true });
  const readFees = createFeeReader({ database, defaults });
  const feesOf = requestFees({ readFees });
  const findContractKind = () => Promise.resolve(undefined);
  const deps = { strategies, markets, chains, feesOf, blockedAddresses, pool: { query } as never };
  const settings = { database, strategies, defaults, blockedAddresses, findContractKind };
  const { schema } = buildSubgraph({
    name: 'strategies',
    resolvers: [
      new StrategyResolver(deps),
      new StrategyDetailResolver(deps),
      new MarketDataResolver(deps),
      new StrategyFeeResolver(settings),
    ],
    references: {
      Strategy: async ({ id }, context) => findStrategy({ ...deps, fees: await feesOf(context) }, String(id)),
    },
  });
  const run = async (source: string, signedIn: boolean | Principal = true) => {
    const someone = { kind: 'apiKey', customerId: newCustomer(), keyId: 'key' } as const;
    const own = signedIn === true ? someone : undefined;
    const principal = typeof signedIn === 'boolean' ? own : signedIn;
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
  return { nodes, run, refresh, query, strategies, protocols, log };
}
