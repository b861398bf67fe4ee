import type { Logger } from 'pino';
import type { Config } from '../config/config';
import type { Rpc } from '../rpc/rpc';
import { mergeRows } from '../strategies/catalog/merge-rows';
import { KNOWN_ROWS } from '../strategies/catalog/rows/known-rows';
import { createStrategies, type Strategies } from '../strategies/catalog/strategies';
import { PROTOCOL_READERS } from '../strategies/protocols/protocols';

interface StrategiesOfProcess {
  readonly config: Config;
  readonly rpc: Rpc;
  readonly log: Logger;
}

/** Sentences about strategies that contradict each other: the service does not start with them. */
export const strategyProblems = ({ strategies }: Pick<Config, 'strategies'>): readonly string[] =>
  mergeRows(KNOWN_ROWS, strategies).problems.map((problem) => `STRATEGIES_FILE: ${problem}`);

/** The strategies of the process. Reads no chain before it is started. */
export function openStrategies({ config, rpc, log }: StrategiesOfProcess): Strategies {
  const { rows } = mergeRows(KNOWN_ROWS, config.strategies);
  return createStrategies({ rpc, log, rows, chains: config.chains.table, protocols: PROTOCOL_READERS });
}
