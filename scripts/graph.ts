import 'reflect-metadata';
import path from 'node:path';
import { composeSupergraph, publicSchemaOf } from '../gateway/federation/compose';
import { PROJECT_ROOT } from '../src/config/project-root';
import { createCustomersSubgraph } from '../subgraphs/customers';
import { createKycSubgraph } from '../subgraphs/kyc';
import { createStrategiesSubgraph } from '../subgraphs/strategies';
import { createSwapsSubgraph } from '../subgraphs/swaps';
import { createWalletsSubgraph } from '../subgraphs/wallets';
import { keepGenerated } from './generated-files';

// Printing a schema calls no resolver, so the resolvers need almost no deps.
const noDeps = { providers: [] } as never;
const subgraphs = [
  ...[createSwapsSubgraph(noDeps), createWalletsSubgraph(noDeps)],
  ...[createCustomersSubgraph(noDeps), createKycSubgraph(noDeps)],
  createStrategiesSubgraph(noDeps),
];

const supergraph = composeSupergraph(
  subgraphs.map(({ name, typeDefs }) => ({ name, typeDefs, url: `http://${name}/graphql` })),
);

keepGenerated([
  ...subgraphs.map(({ name, typeDefs }) => ({
    file: path.join(PROJECT_ROOT, 'subgraphs', name, 'schema.graphql'),
    content: typeDefs,
  })),
  { file: path.join(PROJECT_ROOT, 'gateway/supergraph.graphql'), content: supergraph },
  {
    file: path.join(PROJECT_ROOT, 'gateway/api.graphql'),
    content: `${publicSchemaOf(supergraph)}\n`,
  },
]);
