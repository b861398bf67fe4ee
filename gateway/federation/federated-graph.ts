import { QueryPlanner } from '@graphql-hive/router-query-planner';
import { type DocumentNode, type GraphQLScalarType, type GraphQLSchema, parse, print } from 'graphql';
import type { Logger } from 'pino';
import type { CompilationDeps } from './compiled-operation';
import { buildGraphSchemas } from './graph-schemas';
import { readSchemaCosts } from './cost/schema-costs';
import { createKeptResults, type ExecuteKept, type KeptResultsOptions } from './kept/kept-results';
import type { CallerOperation, PreparedOperation } from './operation-result';
import { readSupergraphFacts } from './supergraph-facts';
import { createWellKnownIntrospection } from './document/well-known-introspection';
import { withFixedFields } from './planner/fixed-fields';
import { createPlannerProcess } from './planner/planner-process';
import type { SubgraphTransport } from './subgraph/subgraph-transport';
import { prepareTrustedOperation, type TrustedOptions } from './trusted-operations';
import { createUntrustedOperations } from './untrusted-operations';

export type { CallerOperation, OperationResult, PreparedOperation } from './operation-result';
export type { TrustedOptions } from './trusted-operations';

/** The graph composed of the subgraphs. */
export interface FederatedGraph {
  /** Public schema with the real scalars: for validation and introspection. */
  readonly schema: GraphQLSchema;
  readonly supergraphSdl: string;
  /**
   * Prepares a document of the service itself, planned in this process at its first execution.
   *
   * @throws InvariantError when the document is invalid
   */
  prepareTrusted(document: DocumentNode, options?: TrustedOptions): PreparedOperation;
  /**
   * Prepares a caller's document: limited, validated, and planned in a separate process, which it might crash.
   * `caller`: the customer, or the address of an anonymous caller; callers are planned for in turns.
   *
   * @throws DOCUMENT_LIMIT_EXCEEDED, GRAPHQL_VALIDATION_FAILED, OPERATION_RESOLUTION_FAILURE, DOCUMENT_REFUSED,
   *   RATE_LIMIT_EXCEEDED
   */
  prepare(document: DocumentNode, operationName: string | undefined, caller?: string): Promise<CallerOperation>;
  close(): Promise<void>;
}

export interface FederatedGraphOptions {
  readonly supergraphSdl: string;
  /** Public schema of the supergraph; see `publicSchemaOf`. */
  readonly publicSdl: string;
  /** By name of the subgraph. */
  readonly transports: Readonly<Record<string, SubgraphTransport>>;
  readonly scalars: readonly GraphQLScalarType[];
  /** Maximum number of cached plans of callers' documents. */
  readonly planCacheSize?: number;
  /** Maximum time for planning a caller's document. */
  readonly planningDeadlineMs?: number;
  /** Maximum number of documents of one caller that wait for their plan. */
  readonly maxPlanningPerCaller?: number;
  /** The root field whose results are kept, with the versions of its data. */
  readonly kept?: KeptResultsOptions | undefined;
  readonly log: Logger;
}

const DEFAULT_PLAN_CACHE_SIZE = 1000;
const DEFAULT_PLANNING_DEADLINE_MS = 2000;
const DEFAULT_PLANNING_PER_CALLER = 20;

/** @throws when the supergraph or its public schema is malformed. */
export async function createFederatedGraph(options: FederatedGraphOptions): Promise<FederatedGraph> {
  const { supergraphSdl, transports, scalars, log } = options;
  const { planCacheSize = DEFAULT_PLAN_CACHE_SIZE, planningDeadlineMs: deadlineMs = DEFAULT_PLANNING_DEADLINE_MS } =
    options;
  const supergraph = parse(supergraphSdl, { noLocation: true });
  const { schema, wireSchema } = buildGraphSchemas(parse(options.publicSdl, { noLocation: true }), scalars);
  const { document: plannerSupergraph, fixedFields } = withFixedFields(supergraph);
  const plannerSdl = fixedFields.size === 0 ? supergraphSdl : print(plannerSupergraph);
  const planner = new QueryPlanner(plannerSdl);
  const plannerProcess = createPlannerProcess({
    supergraphSdl: plannerSdl,
    deadlineMs,
    maxWaitingPerCaller: options.maxPlanningPerCaller ?? DEFAULT_PLANNING_PER_CALLER,
    log,
  });
  const facts = readSupergraphFacts(plannerSupergraph, schema, fixedFields);
  const wellKnownIntrospection = createWellKnownIntrospection(schema);
  const { kept } = options;
  const deps: CompilationDeps & { readonly wireSchema: GraphQLSchema; readonly executeKept: ExecuteKept | undefined } =
    {
      schema,
      wireSchema,
      wellKnownIntrospection,
      facts,
      transports,
      kept,
      executeKept: kept === undefined ? undefined : createKeptResults(kept),
      log,
    };
  const untrusted = createUntrustedOperations({
    ...deps,
    costs: readSchemaCosts(supergraph),
    planner: plannerProcess,
    planCacheSize,
  });
  return Promise.resolve({
    schema,
    supergraphSdl,
    prepareTrusted: (document, trusted = {}) => prepareTrustedOperation({ ...deps, planner }, document, trusted),
    prepare: (document, operationName, caller) => untrusted.prepare(document, operationName, caller),
    async close() {
      plannerProcess.close();
      await Promise.all(Object.values(transports).map(async (transport) => transport.close?.()));
    },
  });
}
