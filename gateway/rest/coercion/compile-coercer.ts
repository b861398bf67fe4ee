import { type GraphQLArgument, type GraphQLField, isRequiredArgument } from 'graphql';
import type { ServiceError } from '../../../src/errors/service-error';
import { type ValidationIssue, validationError } from '../../../src/errors/validation';
import { type Bounds, BOUNDS } from '../bounds';
import type { RestRoute } from '../route-table';
import { type CoercionFindings, type ValueReader, addIssue } from './findings';
import { isJsonObject, jsonReader } from './read-json';
import { textReader } from './read-text';

/** The parts of a request that arguments come from, decoded but not checked. */
export interface RawRequest {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

export interface CoercedRequest {
  /** Variables of the route's operation, in the order of its arguments. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Names of query parameters and body fields that the route does not know. */
  readonly ignored: readonly string[];
  /** Names of arguments that were given and are on their way out. */
  readonly deprecated: readonly string[];
}

/** @throws VALIDATION_ERROR with every problem of the request at once. */
export type Coercer = (request: RawRequest) => CoercedRequest;

/** What is wrong with the arguments of an operation together, as far as that takes no look-up. */
export type FieldCheck = (fields: Readonly<Record<string, unknown>>) => readonly ValidationIssue[];

type Source = 'path' | 'query' | 'body';

interface Argument {
  readonly name: string;
  readonly source: Source;
  readonly required: boolean;
  readonly deprecated: boolean;
  readonly read: ValueReader;
}

const NOTHING = {};

/**
 * Compiles the way from a request of a route to the variables of its operation: the path, then the query parameters
 * of a GET or the flat JSON body of a POST. Where values are refused, so is at once what `check` finds in all of them
 * together; where none is, that is left to the operation.
 */
export function compileCoercer(
  route: RestRoute,
  field: GraphQLField<unknown, unknown>,
  check: FieldCheck = () => [],
): Coercer {
  const bounds = BOUNDS[route.operation] ?? {};
  const args = field.args.map((argument) => compileArgument(route, argument, bounds[argument.name]));
  const deprecatedNames = args.filter(({ deprecated }) => deprecated).map(({ name }) => name);
  const known = new Set(args.filter(({ source }) => source !== 'path').map(({ name }) => name));
  const readsBody = route.method === 'POST';
  return ({ params, query, body }) => {
    const findings: CoercionFindings = { issues: [], ignored: [] };
    if (readsBody) findings.ignored.push(...Object.keys(query));
    const fields = readsBody ? bodyFields(body, findings) : query;
    const variables: Record<string, unknown> = {};
    for (const argument of args) {
      const value = readArgument(argument, argument.source === 'path' ? params : fields, findings);
      if (value !== undefined) variables[argument.name] = value;
    }
    for (const name of Object.keys(fields)) if (!known.has(name)) findings.ignored.push(name);
    if (findings.issues.length > 0) throw refusal(findings, check({ ...fields, ...variables }));
    const deprecated = deprecatedNames.filter((name) => name in variables);
    return { variables, ignored: findings.ignored, deprecated };
  };
}

/** Of an argument that was refused by itself, nothing more is said. */
function refusal({ issues }: CoercionFindings, together: readonly ValidationIssue[]): ServiceError {
  const refused = new Set(issues.map(({ path }) => path));
  return validationError([...issues, ...together.filter(({ path }) => !refused.has(path))]);
}

function compileArgument(route: RestRoute, argument: GraphQLArgument, bounds: Bounds | undefined): Argument {
  const source = argumentSource(route, argument.name);
  const read = source === 'body' ? jsonReader(argument.type) : textReader(argument.type);
  return {
    name: argument.name,
    source,
    required: isRequiredArgument(argument),
    deprecated: typeof argument.deprecationReason === 'string',
    read: bounds === undefined ? read : bounded(read, bounds),
  };
}

/** Where an argument of a route comes from. */
export function argumentSource({ method, path }: RestRoute, argument: string): Source {
  if (path.split('/').includes(`:${argument}`)) return 'path';
  return method === 'POST' ? 'body' : 'query';
}

function bounded(read: ValueReader, { minimum, maximum }: Bounds): ValueReader {
  return (given, path, findings) => {
    const value = read(given, path, findings);
    if (typeof value !== 'number' || (value >= minimum && value <= maximum)) return value;
    return addIssue(findings, path, `must be between ${minimum} and ${maximum}`);
  };
}

function readArgument(
  { name, source, required, read }: Argument,
  fields: RawRequest['query'],
  findings: CoercionFindings,
) {
  const given = Object.hasOwn(fields, name) ? fields[name] : undefined;
  const isMissing = given === undefined || given === null || (source === 'query' && given === '');
  if (!isMissing) return read(given, name, findings);
  return required ? addIssue(findings, name, 'is required') : undefined;
}

function bodyFields(body: unknown, findings: CoercionFindings): Readonly<Record<string, unknown>> {
  if (body === undefined || body === null) return NOTHING;
  if (isJsonObject(body)) return body;
  addIssue(findings, 'body', 'must be a JSON object');
  return NOTHING;
}
