import { execute, type GraphQLSchema, parse, validate } from 'graphql';
import pino from 'pino';
import { createRequestContext, type RequestContext } from '../../../src/auth/request-context';
import { isServiceError } from '../../../src/errors/service-error';
import { composeSupergraph, publicSchemaOf } from '../../../gateway/federation/compose';
import { assertDocumentWithinLimits } from '../../../gateway/federation/document/document-limits';
import {
  createFederatedGraph,
  type FederatedGraph,
  type OperationResult,
} from '../../../gateway/federation/federated-graph';
import { serveSubgraph } from '../../../gateway/federation/subgraph/serve-subgraph';
import {
  httpTransport,
  inProcessTransport,
  type SubgraphTransport,
} from '../../../gateway/federation/subgraph/subgraph-transport';
import type { FormattedError } from '../../../gateway/federation/formatted-error';
import { compareFailures } from './compare-failures';
import { createRandom, type Random } from './random';
import { type OperationVariables, randomOperation } from './random-operation';
import type { FailureInjection } from './unreliable';
import { buildMonolith, buildSubgraph, type World } from './world';

export interface FuzzOptions {
  readonly world: World;
  readonly seed: number;
  /** Valid operations to compare. */
  readonly operations: number;
  /** How the gateway reaches the subgraphs. */
  readonly over: 'process' | 'http';
  /** Share of fields that fail in every second operation. */
  readonly failures: number;
}

export interface FuzzReport {
  readonly compared: number;
  /** Operations with at least one failed field. */
  readonly failed: number;
  /** Operations that the gateway refused. */
  readonly refused: number;
  /** Operations with a wrong response, each with the details to repeat it. */
  readonly differences: readonly string[];
}

const SECRET = 'f'.repeat(64);
const TIMEOUT_MS = 10_000;

/** Compares the gateway over subgraphs with one schema that has the same data and the same failures. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const injection: FailureInjection = { salt: '', failures: 0, async: false };
  const { world } = options;
  const monolith = buildMonolith(world, injection);
  const { graph, close } = await buildGraph(injection, options);
  const random = createRandom(options.seed);
  const report = { compared: 0, failed: 0, refused: 0, differences: [] as string[] };
  try {
    while (report.compared < options.operations) {
      const operation = randomOperation(random, monolith, world.depth);
      if (!isValid(monolith, operation)) continue;
      injection.salt = `${options.seed}.${report.compared}`;
      injection.failures = report.compared % 2 === 0 ? 0 : options.failures;
      injection.async = report.compared % 4 < 2;
      report.compared += 1;
      const variables = randomVariables(random);
      const trial: Trial = { operation, variables, mode: random.pick(world.mayBeRefused ? CALLER_MODES : MODES) };
      const outcome = await compareOnce({ graph, monolith, injection }, trial);
      if (outcome.failed) report.failed += 1;
      if (outcome.refused) report.refused += 1;
      if (outcome.refused && world.mayBeRefused) continue;
      if (outcome.problems.length > 0) report.differences.push(describe(options, trial, outcome.problems));
    }
  } finally {
    await close();
  }
  return report;
}

const MODES = ['object', 'json', 'object', 'json', 'untrusted'] as const;
const CALLER_MODES = ['untrusted'] as const;

interface Trial {
  readonly operation: string;
  readonly variables: OperationVariables;
  readonly mode: (typeof MODES)[number];
}

interface Subjects {
  readonly graph: FederatedGraph;
  readonly monolith: GraphQLSchema;
  readonly injection: FailureInjection;
}

function isValid(schema: GraphQLSchema, operation: string): boolean {
  const document = parse(operation);
  try {
    assertDocumentWithinLimits(document);
  } catch {
    return false;
  }
  return validate(schema, document).length === 0;
}

const randomVariables = (random: Random): OperationVariables => ({
  yes: random.chance(0.8),
  no: random.chance(0.2),
  ...(random.chance(0.8) ? { number: 3 } : {}),
});

const describe = (
  { seed, over }: FuzzOptions,
  { operation, variables, mode }: Trial,
  problems: readonly string[],
): string =>
  `seed ${seed}, over ${over}, ${mode}, ${JSON.stringify(variables)}\n${operation}\n${problems.slice(0, 3).join('\n')}`;

interface Outcome {
  readonly failed: boolean;
  readonly refused: boolean;
  readonly problems: readonly string[];
}

async function compareOnce(subjects: Subjects, trial: Trial): Promise<Outcome> {
  const { injection } = subjects;
  const expected = await executeOnMonolith(subjects, trial);
  const { data, errors = [] } = await executeOnGateway(subjects.graph, trial);
  const refused = errors.some(({ extensions: { code } }) => code === 'DOCUMENT_REFUSED');
  if (!expected.failed) {
    const [expectedText, text] = [JSON.stringify(expected.data), JSON.stringify(data)];
    const problems = errors.map(({ message, path }) => `error ${message} at ${String(path)}`);
    if (expectedText !== text) problems.push(`expected ${expectedText}`, `but got ${text}`);
    return { failed: false, refused, problems };
  }
  const { failures } = injection;
  injection.failures = 0;
  const withoutFailures = (await executeOnMonolith(subjects, trial)).data;
  injection.failures = failures;
  const problems = compareFailures({ expected: expected.data, withoutFailures, data, errors });
  return { failed: true, refused, problems };
}

async function executeOnMonolith(
  { monolith }: Subjects,
  { operation, variables }: Trial,
): Promise<{ data: unknown; failed: boolean }> {
  const { data, errors } = await execute({
    schema: monolith,
    document: parse(operation),
    variableValues: { ...variables },
  });
  return { data: JSON.parse(JSON.stringify(data ?? null)) as unknown, failed: errors !== undefined };
}

async function executeOnGateway(
  graph: FederatedGraph,
  { operation, variables, mode }: Trial,
): Promise<{ data: unknown; errors?: readonly FormattedError[] }> {
  const document = parse(operation);
  const result = await prepareAndExecute();
  const data: unknown =
    typeof result.data === 'string' ? JSON.parse(result.data) : JSON.parse(JSON.stringify(result.data ?? null));
  return { ...result, data };

  async function prepareAndExecute(): Promise<OperationResult> {
    try {
      const prepared =
        mode === 'untrusted'
          ? await graph.prepare(document, undefined)
          : graph.prepareTrusted(document, { output: mode });
      return await prepared.execute(variables, newContext());
    } catch (error) {
      const code = isServiceError(error) ? error.code : 'INTERNAL_SERVER_ERROR';
      return { errors: [{ message: String(error), extensions: { code } }] };
    }
  }
}

const newContext = (): RequestContext =>
  createRequestContext({ requestId: 'fuzz', principal: undefined, signal: new AbortController().signal });

async function buildGraph(
  injection: FailureInjection,
  { over, world }: FuzzOptions,
): Promise<{ graph: FederatedGraph; close: () => Promise<void> }> {
  const log = pino({ level: 'silent' });
  const servers: { close(): Promise<void> }[] = [];
  const transports: Record<string, SubgraphTransport> = {};
  for (const [name, sdl] of Object.entries(world.subgraphs)) {
    const schema = buildSubgraph(world, sdl, injection);
    if (over === 'process') {
      transports[name] = inProcessTransport(schema, { timeoutMs: TIMEOUT_MS });
      continue;
    }
    const server = await serveSubgraph({ schema, internalSecret: SECRET, host: '127.0.0.1', port: 0, log });
    servers.push(server);
    transports[name] = httpTransport(server.url, { timeoutMs: TIMEOUT_MS, internalSecret: SECRET });
  }
  const supergraphSdl = composeSupergraph(
    Object.entries(world.subgraphs).map(([name, typeDefs]) => ({ name, url: `http://${name}/graphql`, typeDefs })),
  );
  const graph = await createFederatedGraph({
    supergraphSdl,
    publicSdl: publicSchemaOf(supergraphSdl),
    transports,
    scalars: [],
    planningDeadlineMs: 60_000,
    log,
  });
  const close = async (): Promise<void> => {
    await graph.close();
    await Promise.all(servers.map((server) => server.close()));
  };
  return { graph, close };
}
