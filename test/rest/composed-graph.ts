import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createFederatedGraph, type FederatedGraph } from '../../gateway/federation/federated-graph';
import type { SubgraphCall } from '../../gateway/federation/subgraph/subgraph-transport';
import { PROJECT_ROOT } from '../../src/config/project-root';
import { SCALARS } from '../../subgraphs/schema/scalars';
import { silentLog } from '../federation/small-graph';

const NAMES = ['swaps', 'wallets', 'customers', 'kyc', 'strategies'];

/** The graph of the service, with subgraphs that return no data unless `call` does. */
export function composedGraph(call: SubgraphCall = () => ({ data: {} })): Promise<FederatedGraph> {
  return createFederatedGraph({
    supergraphSdl: readFileSync(path.join(PROJECT_ROOT, 'gateway/supergraph.graphql'), 'utf8'),
    publicSdl: readFileSync(path.join(PROJECT_ROOT, 'gateway/api.graphql'), 'utf8'),
    transports: Object.fromEntries(NAMES.map((name) => [name, { compile: () => call }])),
    scalars: SCALARS,
    planningDeadlineMs: 30_000,
    log: silentLog,
  });
}
