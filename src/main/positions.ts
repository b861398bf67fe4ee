import type { PositionDeps } from '../strategies/positions/position-deps';
import { createRangeSizes, type RangeSizes } from '../strategies/positions/range-sizes';
import { createStartBlocks, type StartBlocks } from '../strategies/positions/start-blocks';
import type { Infrastructure } from './infrastructure';
import { PROTOCOL_READERS } from '../strategies/protocols/protocols';

/** What a process has learned about chains: its gateway and its worker share it. */
interface Learned {
  readonly rangeSizes: RangeSizes;
  readonly startBlocks: StartBlocks;
}
const learned = new WeakMap<Infrastructure['rpc'], Learned>();

function learnedOf(rpc: Infrastructure['rpc']): Learned {
  const known = learned.get(rpc) ?? { rangeSizes: createRangeSizes(), startBlocks: createStartBlocks({ rpc }) };
  learned.set(rpc, known);
  return known;
}

/** What positions in strategies are read with. */
export const positionDeps = (infrastructure: Infrastructure): PositionDeps => {
  const { config, database, pool, rpc, log, strategies, tokenPrices } = infrastructure;
  return {
    database,
    pool,
    rpc,
    log,
    strategies,
    prices: tokenPrices,
    chains: config.chains.table,
    protocols: PROTOCOL_READERS,
    holdingsTimeoutMs: config.READ_TIMEOUT_MS,
    walkTimeoutMs: Math.ceil(config.READ_TIMEOUT_MS * 0.75),
    ...learnedOf(rpc),
  };
};
