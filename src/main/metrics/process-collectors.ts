import type { HeavyWork } from '../../../gateway/edge/overload/heavy-work';
import type { ChainTable } from '../../chains/chain-table';
import { VERSION } from '../../config/version';
import type { Collector, GaugeSample, Metrics } from '../../telemetry/metrics/metrics';
import type { Infrastructure } from '../infrastructure';

/** Gauges of this process, in every role. */
export function collectProcess(metrics: Metrics, { config, pool, guards }: Infrastructure): void {
  const { ROLE, SUBGRAPH, chains } = config;
  const role = ROLE === 'subgraph' ? `subgraph:${SUBGRAPH ?? ''}` : ROLE;
  metrics.collect({
    name: 'build',
    gauges: ['buildInfo'],
    read: () => [['buildInfo', { version: VERSION, role }, 1]],
  });
  metrics.collect(connections(pool));
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

const connections = (pool: Infrastructure['pool']): Collector => ({
  name: 'connections',
  gauges: ['databaseConnections'],
  read: () => [
    ['databaseConnections', { state: 'used' }, pool.totalCount - pool.idleCount],
    ['databaseConnections', { state: 'idle' }, pool.idleCount],
    ['databaseConnections', { state: 'waiting' }, pool.waitingCount],
    ['databaseConnections', { state: 'max' }, pool.options.max],
  ],
});

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
