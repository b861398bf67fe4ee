import type { HeavyWork } from '../../../gateway/edge/overload/heavy-work';
import type { ChainTable } from '../../chains/chain-table';
import { VERSION } from '../../config/version';
import type { Collector, GaugeSample, Metrics } from '../../telemetry/metrics/metrics';
import type { Infrastructure } from '../infrastructure';

/** Gauges of this process, in every role. */
export function collectProcess(metrics: Metrics, { config, pools, guards }: Infrastructure): void {
  const { ROLE, SUBGRAPH, chains } = config;
  const role = ROLE === 'subgraph' ? `subgraph:${SUBGRAPH ?? ''}` : ROLE;
  metrics.collect({
    name: 'build',
    gauges: ['buildInfo'],
    read: () => [['buildInfo', { version: VERSION, role }, 1]],
  });
  metrics.collect(connections(pools));
  metrics.collect({
    name: 'breakers',
    gauges: ['breakerOpen'],
    read: () =>
      guards
        .breakers()
        .map(({ provider, chains: ids, isOpen }): GaugeSample => [
          'breakerOpen',
          { provider, chain: chainsLabel(chains.table, ids) },
          isOpen ? 1 : 0,
        ]),
  });
}

const connections = (pools: Infrastructure['pools']): Collector => {
  const sum = (count: (pool: Infrastructure['pool']) => number): number =>
    pools.reduce((total, pool) => total + count(pool), 0);
  return {
    name: 'connections',
    gauges: ['databaseConnections'],
    read: () => [
      ['databaseConnections', { state: 'used' }, sum(({ totalCount, idleCount }) => totalCount - idleCount)],
      ['databaseConnections', { state: 'idle' }, sum(({ idleCount }) => idleCount)],
      ['databaseConnections', { state: 'waiting' }, sum(({ waitingCount }) => waitingCount)],
      ['databaseConnections', { state: 'max' }, sum(({ options }) => options.max)],
    ],
  };
};

/** Gauges of a gateway. */
export function collectHeavyWork(metrics: Metrics, heavyWork: Pick<HeavyWork, 'state'>): void {
  metrics.collect({
    name: 'heavyWork',
    gauges: ['heavyWork'],
    read: () =>
      Object.entries(heavyWork.state).flatMap(([work, lane]) =>
        Object.entries(lane).map(([state, value]): GaugeSample => ['heavyWork', { work, state }, value]),
      ),
  });
}

/** `1>137` as `ethereum>polygon`; `all` for a breaker of all chains. */
const chainsLabel = (table: ChainTable, ids: string): string =>
  ids === ''
    ? 'all'
    : ids
        .split('>')
        .map((id) => chainLabel(table, Number.parseInt(id, 10)))
        .join('>');

/** The slug of a chain; `other` for one that is no longer configured. */
export const chainLabel = (table: ChainTable, chainId: number): string => table.byId(chainId)?.slug ?? 'other';
