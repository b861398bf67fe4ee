import { randomUUID } from 'node:crypto';
import type { DevnetAccount } from '../../devnet/accounts';
import type { CustomerId } from '../../src/auth/principal';
import { createChainTable } from '../../src/chains/chain-table';
import { createRpc } from '../../src/rpc/rpc';
import type { Strategies } from '../../src/strategies/catalog/strategies';
import type { PositionDeps } from '../../src/strategies/positions/position-deps';
import { createRangeSizes } from '../../src/strategies/positions/range-sizes';
import { createStartBlocks } from '../../src/strategies/positions/start-blocks';
import { PROTOCOLS } from '../../src/strategies/protocols/protocols';
import { asChain } from '../contract/local-swaps';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { chainNamed, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import {
  type LocalStrategy,
  localRow,
  mint,
  resolved,
  strategyChain,
  type StrategyChain,
  type User,
  userOf,
} from './local-strategies';

/** The strategies of a local chain, and what positions in them are read with. */
export interface PositionWorld {
  readonly test: TestDatabase;
  readonly universe: TestUniverse;
  readonly local: StrategyChain;
  readonly strategies: ReadonlyMap<string, LocalStrategy>;
  readonly deps: PositionDeps;
  /** A new customer, which is stored. */
  customer(): Promise<CustomerId>;
  /** An account with tokens, which uses a strategy directly on its chain. */
  user(account: DevnetAccount, strategyId: string): User;
  fund(account: DevnetAccount, amount: bigint): Promise<void>;
}

export const STRATEGY_IDS = ['Aave-USDC-devnet', 'Steady-USDC-devnet', 'Compound-USDC-devnet'] as const;

export async function createPositionWorld(): Promise<PositionWorld> {
  const [test, universe] = await Promise.all([createTestDatabase(), universeOfTests()]);
  const devnet = chainNamed(universe, 'devnet');
  const local = strategyChain(universe, devnet);
  const strategies = new Map<string, LocalStrategy>();
  for (const id of [...STRATEGY_IDS, 'ExitFee-USDC-devnet']) {
    strategies.set(id, await resolved(local, localRow(universe, id)));
  }
  const deps = positionDeps({ test, universe, strategies });
  return {
    test,
    universe,
    local,
    strategies,
    deps,
    async customer() {
      const id = randomUUID();
      await test.database.customer.create({ data: { id, name: id } });
      return id as CustomerId;
    },
    user: (account, id) => userOf(local, strategies.get(id)!, account),
    async fund(account, amount) {
      const underlying = strategies.get(STRATEGY_IDS[0])!.strategy.row.underlying;
      await mint(local, account, [underlying, account.address, amount]);
    },
  };
}

/** `rpcUrl`: another node than that of the chain. */
export function positionDeps(
  { test: { database, pool }, universe, strategies }: Pick<PositionWorld, 'test' | 'universe' | 'strategies'>,
  rpcUrl?: string,
): PositionDeps {
  const chains = createChainTable(universe.chains.map(asChain));
  const rpcUrls = new Map(universe.chains.map(({ chainId, rpcUrl: own }) => [chainId, rpcUrl ?? own]));
  const log = { warn: () => undefined, error: () => undefined };
  const rpc = createRpc({ chains: { table: chains, rpcUrls }, log, timeoutMs: 20_000 });
  const all = [...strategies.values()].map(({ strategy }) => strategy);
  const directory: Pick<Strategies, 'get' | 'all' | 'chains'> = {
    get: (name) => strategies.get(name)!.strategy,
    all: () => all,
    chains: chains.all,
  };
  return {
    database,
    pool,
    chains,
    rpc,
    log,
    strategies: directory,
    protocols: PROTOCOLS,
    prices: { read: (tokens) => Promise.resolve(tokens.map(() => ({ missing: 'NO_SOURCE' }))) },
    rangeSizes: createRangeSizes(),
    startBlocks: createStartBlocks({ rpc }),
    walkTimeoutMs: 20_000,
  };
}
