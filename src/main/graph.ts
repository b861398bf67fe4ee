import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createFederatedGraph, type FederatedGraph } from '../../gateway/federation/federated-graph';
import { measuredTransport } from '../../gateway/federation/subgraph/measured-transport';
import {
  httpTransport,
  inProcessTransport,
  type SubgraphTransport,
} from '../../gateway/federation/subgraph/subgraph-transport';
import { tracedTransport } from '../../gateway/federation/subgraph/traced-transport';
import { SCALARS } from '../../subgraphs/schema/scalars';
import { PROJECT_ROOT } from '../config/project-root';
import { runForCustomer } from '../persistence/customer-scope';
import { OVERVIEW_FIELDS, readOverviewVersion } from '../portfolio/overview/overview-version';
import type { Infrastructure } from './infrastructure';
import { StartupError } from './startup-error';
import type { SubgraphStates } from './subgraph-states';
import { createSubgraph, SUBGRAPH_NAMES, type SubgraphName } from './subgraphs';

/** The composed graph and its public schema, written by `npm run graph`. */
const SUPERGRAPH = path.join(PROJECT_ROOT, 'gateway/supergraph.graphql');
const PUBLIC_SCHEMA = path.join(PROJECT_ROOT, 'gateway/api.graphql');

/** The graph, with the state of the subgraphs that run in other processes. */
export interface OpenGraph {
  readonly graph: FederatedGraph;
  readonly subgraphStates: () => Promise<SubgraphStates>;
}

/** Connects the subgraphs: in this process, or over HTTP where a URL is configured. */
export async function openGraph(infrastructure: Infrastructure): Promise<OpenGraph> {
  const transports = SUBGRAPH_NAMES.map((name) => [name, observedTransport(name, infrastructure)] as const);
  const graph = await createFederatedGraph({
    supergraphSdl: readFileSync(SUPERGRAPH, 'utf8'),
    publicSdl: readFileSync(PUBLIC_SCHEMA, 'utf8'),
    transports: Object.fromEntries(transports),
    scalars: SCALARS,
    kept: {
      name: 'wallet',
      fields: OVERVIEW_FIELDS,
      versionOf: async ({ root, fields }, { principal }) =>
        principal === undefined
          ? undefined
          : runForCustomer(principal.customerId, () =>
              readOverviewVersion(infrastructure, {
                customerId: principal.customerId,
                address: root.arguments['address'],
                fields,
              }),
            ),
    },
    maxPlanningPerCaller: infrastructure.config.PLANNING_LIMIT_PER_CUSTOMER,
    planningDeadlineMs: infrastructure.config.PLANNING_TIMEOUT_MS,
    log: infrastructure.log,
  });
  const stateOf = async ([name, transport]: (typeof transports)[number]) =>
    [name, transport.state === undefined ? 'in process' : await transport.state()] as const;
  return { graph, subgraphStates: async () => Object.fromEntries(await Promise.all(transports.map(stateOf))) };
}

/** Measured and traced where that is configured. */
function observedTransport(subgraph: SubgraphName, infrastructure: Infrastructure): SubgraphTransport {
  const { metrics, tracer } = infrastructure.telemetry;
  const transport = transportOf(subgraph, infrastructure);
  const measured = metrics === undefined ? transport : measuredTransport(transport, { subgraph, metrics });
  return tracer === undefined ? measured : tracedTransport(measured, { subgraph, tracer });
}

function transportOf(name: SubgraphName, infrastructure: Infrastructure): SubgraphTransport {
  const { config } = infrastructure;
  const timeoutMs = config.SUBGRAPH_TIMEOUT_MS;
  const url = {
    swaps: config.SUBGRAPH_URL_SWAPS,
    wallets: config.SUBGRAPH_URL_WALLETS,
    customers: config.SUBGRAPH_URL_CUSTOMERS,
    kyc: config.SUBGRAPH_URL_KYC,
    strategies: config.SUBGRAPH_URL_STRATEGIES,
  }[name];
  if (url === undefined) return inProcessTransport(createSubgraph(name, infrastructure).schema, { timeoutMs });
  if (config.INTERNAL_SECRET !== undefined) {
    const { tracer } = infrastructure.telemetry;
    return httpTransport(url, { timeoutMs, internalSecret: config.INTERNAL_SECRET, tracer });
  }
  throw new StartupError('INTERNAL_SECRET is required when a subgraph runs in its own process.');
}
