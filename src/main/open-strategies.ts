import type { Logger } from 'pino';
import type { Config } from '../config/config';
import type { Rpc } from '../rpc/rpc';
import { mergeRows } from '../strategies/catalog/merge-rows';
import { KNOWN_ROWS } from '../strategies/catalog/rows/known-rows';
import { createStrategies, type Strategies } from '../strategies/catalog/strategies';
import { PROTOCOL_READERS } from '../strategies/protocols/protocols';
import { STOCKS, type StrategyRow } from '../strategies/strategy-row';

interface StrategiesOfProcess {
  readonly config: Config;
  readonly rpc: Rpc;
  readonly log: Logger;
}

/** Sentences about strategies that contradict each other: the service does not start with them. */
export function strategyProblems({ strategies }: Pick<Config, 'strategies'>): readonly string[] {
  const { rows, problems } = mergeRows(KNOWN_ROWS, strategies);
  return [...problems, ...stockProblems(rows)].map((problem) => `STRATEGIES_FILE: ${problem}`);
}

/** The order book of a deployment is that of one chain. */
function stockProblems(rows: readonly StrategyRow[]): readonly string[] {
  const [first, ...others] = rows.filter(({ protocol }) => protocol === STOCKS);
  return others
    .filter(({ chainId }) => chainId !== first?.chainId)
    .map(({ id }) => `Strategy ${id} must be on the chain of ${first?.id ?? ''}: tokenized stocks are on one chain.`);
}

/** The strategies of the process. Reads no chain before it is started. */
export function openStrategies({ config, rpc, log }: StrategiesOfProcess): Strategies {
  const { rows } = mergeRows(KNOWN_ROWS, config.strategies);
  return createStrategies({ rpc, log, rows, chains: config.chains.table, protocols: PROTOCOL_READERS });
}
