import type { Logger } from 'pino';
import type { SubgraphState } from '../../gateway/federation/subgraph/subgraph-transport';
import { SIGNATURE_ADVICE } from '../../gateway/federation/subgraph/refusal-log';

/** State of each subgraph by its name. */
export type SubgraphStates = Readonly<Record<string, SubgraphState | 'in process'>>;

/** False when this gateway cannot serve anything: each of its subgraphs is down or refuses its signature. */
export function canUseSubgraphs(states: SubgraphStates): boolean {
  const all = Object.values(states);
  return all.length === 0 || all.some((state) => state !== 'down' && state !== 'refused');
}

/** Logs a sentence for each subgraph that this gateway cannot use. */
export function logSubgraphProblems(log: Pick<Logger, 'warn'>, states: SubgraphStates): void {
  for (const [subgraph, state] of Object.entries(states)) {
    const setting = `SUBGRAPH_URL_${subgraph.toUpperCase()}`;
    if (state === 'down') log.warn({ subgraph }, `the subgraph ${subgraph} does not respond at ${setting}`);
    if (state === 'refused')
      log.warn({ subgraph }, `the subgraph ${subgraph} refuses the signature of this gateway. ${SIGNATURE_ADVICE}`);
  }
}
