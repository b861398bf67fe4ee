import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createFederatedGraph, type FederatedGraph } from '../../gateway/federation/federated-graph';
import {
  httpTransport,
  inProcessTransport,
  type SubgraphTransport,
} from '../../gateway/federation/subgraph/subgraph-transport';
import { SCALARS } from '../../subgraphs/schema/scalars';
import { PROJECT_ROOT } from '../config/project-root';
import type { Infrastructure } from './infrastructure';
import { StartupError } from './startup-error';
import { createSubgraph, SUBGRAPH_NAMES, type SubgraphName } from './subgraphs';

/** The composed graph, written by `npm run graph`. */
const SUPERGRAPH = path.join(PROJECT_ROOT, 'gateway/supergraph.graphql');

/** Connects the subgraphs: in this process, or over HTTP where a URL is configured. */
export function openGraph(infrastructure: Infrastructure): Promise<FederatedGraph> {
  return createFederatedGraph({
    supergraphSdl: readFileSync(SUPERGRAPH, 'utf8'),
    transports: Object.fromEntries(SUBGRAPH_NAMES.map((name) => [name, transportOf(name, infrastructure)])),
    scalars: SCALARS,
    log: infrastructure.log,
  });
}

function transportOf(name: SubgraphName, infrastructure: Infrastructure): SubgraphTransport {
  const { config } = infrastructure;
  const timeoutMs = config.SUBGRAPH_TIMEOUT_MS;
  const url = {
    swaps: config.SUBGRAPH_URL_SWAPS,
    wallets: config.SUBGRAPH_URL_WALLETS,
    customers: config.SUBGRAPH_URL_CUSTOMERS,
    kyc: config.SUBGRAPH_URL_KYC,
  }[name];
  if (url === undefined) return inProcessTransport(createSubgraph(name, infrastructure).schema, { timeoutMs });
  if (config.INTERNAL_SECRET !== undefined) {
    return httpTransport(url, { timeoutMs, internalSecret: config.INTERNAL_SECRET });
  }
  throw new StartupError('INTERNAL_SECRET is required when a subgraph runs in its own process.');
}
