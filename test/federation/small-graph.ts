import { buildSubgraphSchema } from '@apollo/subgraph';
import { type GraphQLScalarType, type GraphQLSchema, parse } from 'graphql';
import pino, { type Logger } from 'pino';
import { createRequestContext, type RequestContext } from '../../src/auth/request-context';
import { composeSupergraph, publicSchemaOf } from '../../gateway/federation/compose';
import {
  createFederatedGraph,
  type FederatedGraph,
  type OperationResult,
} from '../../gateway/federation/federated-graph';
import {
  inProcessTransport,
  type SubgraphCall,
  type SubgraphTransport,
} from '../../gateway/federation/subgraph/subgraph-transport';

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@external", "@requires", "@provides", "@interfaceObject", "@inaccessible"])\n';

/** Resolvers by type and field; `__resolveReference` finds an entity. */
export type Resolvers = Readonly<Record<string, unknown>>;

export interface SmallSubgraph {
  readonly sdl: string;
  readonly resolvers?: Resolvers;
  /** Responds instead of the resolvers, to simulate a subgraph that misbehaves. */
  readonly call?: SubgraphCall;
  /** Replaces the transport in this process. */
  readonly transport?: SubgraphTransport;
}

export interface SmallGraphOptions {
  readonly timeoutMs?: number;
  readonly log?: Logger;
  readonly scalars?: readonly GraphQLScalarType[];
  readonly planningDeadlineMs?: number;
  readonly planCacheSize?: number;
  readonly maxPlanningPerCaller?: number;
  /** Changes the composed supergraph, to test supergraphs that the composition refuses. */
  readonly editSupergraph?: (sdl: string) => string;
}

/** Longer than any test, so that no call to a subgraph times out. */
export const FOREVER_MS = 600_000;

export const silentLog = pino({ level: 'silent' });

export const subgraphSchema = ({ sdl, resolvers = {} }: SmallSubgraph): GraphQLSchema =>
  buildSubgraphSchema([{ typeDefs: parse(LINK + sdl), resolvers: resolvers as never }]);

export const supergraphOf = (subgraphs: Readonly<Record<string, SmallSubgraph>>): string =>
  composeSupergraph(
    Object.entries(subgraphs).map(([name, { sdl }]) => ({ name, url: `http://${name}/graphql`, typeDefs: LINK + sdl })),
  );

/** Creates a graph over subgraphs in this process. */
export function smallGraph(
  subgraphs: Readonly<Record<string, SmallSubgraph>>,
  options: SmallGraphOptions = {},
): Promise<FederatedGraph> {
  const { timeoutMs = FOREVER_MS, planningDeadlineMs = FOREVER_MS, ...others } = options;
  const { log = silentLog, scalars = [], editSupergraph = (sdl) => sdl, ...limits } = others;
  const transports = Object.fromEntries(
    Object.entries(subgraphs).map(([name, subgraph]) => [name, transportOf(subgraph, timeoutMs)]),
  );
  const supergraphSdl = editSupergraph(supergraphOf(subgraphs));
  return createFederatedGraph({
    supergraphSdl,
    publicSdl: publicSchemaOf(supergraphSdl),
    transports,
    scalars,
    log,
    planningDeadlineMs,
    ...limits,
  });
}

function transportOf(subgraph: SmallSubgraph, timeoutMs: number): SubgraphTransport {
  const { call, transport } = subgraph;
  if (transport !== undefined) return transport;
  return call === undefined ? inProcessTransport(subgraphSchema(subgraph), { timeoutMs }) : { compile: () => call };
}

export const contextWith = (parts: Partial<RequestContext> = {}): RequestContext =>
  createRequestContext({
    requestId: 'request-1',
    principal: undefined,
    signal: new AbortController().signal,
    ...parts,
  });

export interface RunOptions {
  readonly variables?: unknown;
  readonly context?: RequestContext;
}

/** Executes a trusted document. The result is serialized and parsed, as over HTTP. */
export async function run(graph: FederatedGraph, source: string, options: RunOptions = {}): Promise<OperationResult> {
  const result = await graph.prepareTrusted(parse(source)).execute(options.variables, options.context ?? contextWith());
  return JSON.parse(JSON.stringify(result)) as OperationResult;
}

/** `[code, path]` of each error. */
export const briefly = ({ errors = [] }: OperationResult): readonly string[] =>
  errors.map(({ extensions, path }) => `${extensions.code} at ${path?.join('.') ?? 'nothing'}`);
