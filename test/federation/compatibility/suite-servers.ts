import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginInlineTrace } from '@apollo/server/plugin/inlineTrace';
import fastifyApollo, { fastifyApolloDrainPlugin } from '@as-integrations/fastify';
import Fastify from 'fastify';
import { parse } from 'graphql';
import pino from 'pino';
import { createRequestContext } from '../../../src/auth/request-context';
import { composeSupergraph, publicSchemaOf } from '../../../gateway/federation/compose';
import { createFederatedGraph } from '../../../gateway/federation/federated-graph';
import { inProcessTransport } from '../../../gateway/federation/subgraph/subgraph-transport';
import { otherSubgraphs } from './other-subgraphs';
import { productsSubgraph } from './products-subgraph';

export interface SuiteRequest {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
}

/** The servers that the suite tests: the subgraph, and a router over all subgraphs. */
export interface SuiteServers {
  readonly productsUrl: string;
  executeOnRouter(request: SuiteRequest): Promise<unknown>;
  close(): Promise<void>;
}

export async function startSuiteServers(): Promise<SuiteServers> {
  const products = productsSubgraph();
  const app = Fastify();
  const server = new ApolloServer({
    schema: products.schema,
    plugins: [fastifyApolloDrainPlugin(app), ApolloServerPluginInlineTrace()],
    stopOnTerminationSignals: false,
  });
  await server.start();
  await app.register(fastifyApollo(server));
  const productsUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  const subgraphs = [products, ...otherSubgraphs()];
  const supergraphSdl = composeSupergraph(
    subgraphs.map(({ name, typeDefs }) => ({ name, typeDefs, url: `http://${name}` })),
  );
  const graph = await createFederatedGraph({
    supergraphSdl,
    publicSdl: publicSchemaOf(supergraphSdl),
    transports: Object.fromEntries(
      subgraphs.map(({ name, schema }) => [name, inProcessTransport(schema, { timeoutMs: 60_000 })]),
    ),
    scalars: [],
    planningDeadlineMs: 60_000,
    log: pino({ level: 'silent' }),
  });
  return {
    productsUrl: `${productsUrl}/graphql`,
    async executeOnRouter({ query, variables }) {
      const { signal } = new AbortController();
      const context = createRequestContext({ requestId: 'suite', principal: undefined, signal });
      const operation = await graph.prepare(parse(query), undefined);
      return operation.execute(variables, context);
    },
    async close() {
      await graph.close();
      await app.close();
      await server.stop();
    },
  };
}
