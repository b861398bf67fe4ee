import type { FastifyInstance } from 'fastify';
import { composeSupergraph, publicSchemaOf } from '../../gateway/federation/compose';
import { createFederatedGraph, type FederatedGraph } from '../../gateway/federation/federated-graph';
import { inProcessTransport } from '../../gateway/federation/subgraph/subgraph-transport';
import { DEFAULT_EXAMPLE } from '../../gateway/edge/example-values';
import { mountGraphql } from '../../gateway/http/graphql/mount-graphql';
import { mountRoutes } from '../../gateway/rest/mount-routes';
import type { RestRoute } from '../../gateway/rest/route-table';
import { SCALARS } from '../../subgraphs/schema/scalars';
import { createAssetsSubgraph } from './assets-subgraph';
import { createEdge, createEdgeDependencies, type EdgeDependencies } from './edge';
import { createHoldingsSubgraph } from './holdings-subgraph';
import { WALLET } from './memory';

const base = { method: 'GET', auth: 'apiKey', status: 200, errors: [], tag: 'Customers' } as const;

const ROUTES: readonly RestRoute[] = [
  { ...base, path: '/ping', operation: 'Query.ping' },
  { ...base, path: '/wallets/:address', operation: 'Query.wallet' },
];

/** For the pages of GraphiQL, which the benchmark does not open. */
const EXAMPLE = { ...DEFAULT_EXAMPLE, wallet: WALLET };

const SUBGRAPH_TIMEOUT_MS = 10_000;

/** The gateway as in production: REST from a route table and GraphQL, both over a composed graph. */
export async function createGeneratedServer(): Promise<FastifyInstance> {
  const deps = createEdgeDependencies();
  const app = await createEdge(deps);
  const withGraph = { ...deps, graph: await createGraph(deps) };
  await mountGraphql(app, { ...withGraph, example: EXAMPLE });
  mountRoutes(app, withGraph, ROUTES);
  return app;
}

function createGraph({ log }: EdgeDependencies): Promise<FederatedGraph> {
  const subgraphs = [createHoldingsSubgraph(), createAssetsSubgraph()];
  const supergraphSdl = composeSupergraph(
    subgraphs.map(({ name, typeDefs }) => ({ name, typeDefs, url: `http://${name}` })),
  );
  return createFederatedGraph({
    supergraphSdl,
    publicSdl: publicSchemaOf(supergraphSdl),
    transports: Object.fromEntries(
      subgraphs.map(({ name, schema }) => [name, inProcessTransport(schema, { timeoutMs: SUBGRAPH_TIMEOUT_MS })]),
    ),
    scalars: SCALARS,
    log,
  });
}
