import { GraphQLBoolean, GraphQLEnumType, type GraphQLSchema, isRequiredArgument } from 'graphql';
import type { ServiceError } from '../../../src/errors/service-error';
import { type ValidationIssue, validationError } from '../../../src/errors/validation';
import { type Bounds, BOUNDS } from '../bounds';
import { type RouteParameter, routeParameters } from '../route-parameters';
import { sectionSwitches } from '../route-sections';
import type { RestRoute } from '../route-table';
import { addIssue, type CoercionFindings, isGiven, type ValueReader } from './findings';
import { isJsonObject, jsonReader } from './read-json';
import { textReader } from './read-text';

/** The parts of a request that contain its arguments, decoded but not checked. */
export interface RawRequest {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

export interface CoercedRequest {
  /** Variables of the route's operation, in the order of its parameters. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Names of unknown query parameters and body fields. */
  readonly ignored: readonly string[];
  /** Names of deprecated parameters in the request. */
  readonly deprecated: readonly string[];
  /** VALIDATION_ERROR with every problem of the request at once; absent for a valid request. */
  readonly refusal?: ServiceError;
}

/** Coerces a request. The names of unknown parameters are also returned for an invalid one: they may be its misspelt ones. */
export type Coercer = (request: RawRequest) => CoercedRequest;

/** Finds issues that concern several arguments of an operation, without any look-up. */
export type FieldCheck = (fields: Readonly<Record<string, unknown>>) => readonly ValidationIssue[];

interface ParameterReader {
  readonly name: string;
  readonly variable: string;
  readonly source: RouteParameter['source'];
  readonly required: boolean;
  readonly deprecated: boolean;
  readonly read: ValueReader;
}

/** Reads a query parameter and sets the variables of the sections that it includes. */
interface SwitchReader {
  readonly name: string;
  setVariables(fields: RawRequest['query'], variables: Record<string, unknown>, findings: CoercionFindings): void;
}

const NOTHING = {};

/**
 * Compiles the coercion of a route: the path, then the query parameters of a GET or the flat JSON body of a POST, become the
 * variables of its operation. When a value is refused, the issues that `check` finds are reported with it; otherwise the
 * operation itself runs those checks.
 */
export function compileCoercer(view: GraphQLSchema, route: RestRoute, check: FieldCheck = () => []): Coercer {
  const bounds = BOUNDS[route.operation] ?? {};
  const readers = routeParameters(view, route).map((parameter) => compileReader(parameter, bounds[parameter.name]));
  const switches = compileSwitches(route);
  const deprecated = readers.filter((reader) => reader.deprecated);
  const known = new Set([
    ...readers.filter(({ source }) => source !== 'path').map(({ name }) => name),
    ...switches.map(({ name }) => name),
  ]);
  const readsBody = route.method === 'POST';
  return ({ params, query, body }) => {
    const findings: CoercionFindings = { issues: [], ignored: [] };
    if (readsBody) findings.ignored.push(...Object.keys(query));
    const fields = readsBody ? bodyFields(body, findings) : query;
    const variables: Record<string, unknown> = {};
    for (const reader of readers) {
      const value = readParameter(reader, reader.source === 'path' ? params : fields, findings);
      if (value !== undefined) variables[reader.variable] = value;
    }
    for (const each of switches) each.setVariables(query, variables, findings);
    for (const name of Object.keys(fields)) if (!known.has(name)) findings.ignored.push(name);
    const usedDeprecated = deprecated.filter(({ variable }) => variable in variables).map(({ name }) => name);
    const coerced = { variables, ignored: findings.ignored, deprecated: usedDeprecated };
    if (findings.issues.length === 0) return coerced;
    return { ...coerced, refusal: refusalOf(findings, check({ ...pick(fields, known), ...variables })) };
  };
}

/** The fields with these names. A caller may send any number of others. */
function pick(fields: RawRequest['query'], names: Iterable<string>): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const name of names) if (Object.hasOwn(fields, name)) picked[name] = fields[name];
  return picked;
}

/** An argument with an issue of its own gets no second issue from the check of all arguments. */
function refusalOf({ issues }: CoercionFindings, together: readonly ValidationIssue[]): ServiceError {
  const refused = new Set(issues.map(({ path }) => path));
  return validationError([...issues, ...together.filter(({ path }) => !refused.has(path))]);
}

function compileReader(
  { name, variable, source, argument }: RouteParameter,
  bounds: Bounds | undefined,
): ParameterReader {
  const read = source === 'body' ? jsonReader(argument.type) : textReader(argument.type);
  return {
    name,
    variable,
    source,
    required: isRequiredArgument(argument),
    deprecated: typeof argument.deprecationReason === 'string',
    read: bounds === undefined ? read : bounded(read, bounds),
  };
}

const compileSwitches = (route: RestRoute): readonly SwitchReader[] =>
  sectionSwitches(route).map(({ parameter: name, values, default: otherwise, variables: included }) => {
    const read = textReader(values === undefined ? GraphQLBoolean : selectorType(values));
    return {
      name,
      setVariables(fields, variables, findings) {
        const given = readParameter({ name, required: false, read }, fields, findings);
        const value = given ?? otherwise;
        for (const { variable, values: including } of included)
          variables[variable] = including.includes(value as never);
      },
    };
  });

const selectorType = (values: readonly string[]): GraphQLEnumType =>
  new GraphQLEnumType({ name: 'Sections', values: Object.fromEntries(values.map((value) => [value, {}])) });

function bounded(read: ValueReader, { minimum, maximum }: Bounds): ValueReader {
  return (given, path, findings) => {
    const value = read(given, path, findings);
    if (typeof value !== 'number' || (value >= minimum && value <= maximum)) return value;
    return addIssue(findings, path, `must be between ${minimum} and ${maximum}`);
  };
}

function readParameter(
  { name, required, read }: Pick<ParameterReader, 'name' | 'required' | 'read'>,
  fields: RawRequest['query'],
  findings: CoercionFindings,
): unknown {
  const given = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (isGiven(given)) return read(given, name, findings);
  return required ? addIssue(findings, name, 'is required') : undefined;
}

function bodyFields(body: unknown, findings: CoercionFindings): Readonly<Record<string, unknown>> {
  if (body === undefined || body === null) return NOTHING;
  if (isJsonObject(body)) return body;
  addIssue(findings, 'body', 'must be a JSON object');
  return NOTHING;
}
