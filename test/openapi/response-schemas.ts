import addFormats from 'ajv-formats';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';

/** A response of the service as a test received it. */
export interface ReceivedResponse {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  /** The parsed body; `undefined` for an empty one. */
  readonly body: unknown;
}

/** An OpenAPI document, as far as responses are validated against it. */
interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
}

interface ApiOperation {
  readonly responses: Readonly<Record<string, unknown>>;
}

/** Differences between a response and the document. */
export interface ResponseFindings {
  /** Such as `GET /actions/{id}`. */
  readonly operation: string;
  readonly differences: readonly string[];
}

/** Returns the differences of a response to the document; `undefined` for a path outside the REST contract. */
export type ResponseValidator = (response: ReceivedResponse) => ResponseFindings | undefined;

/** Paths that are not part of the REST contract. */
const OTHER_PATHS = /^\/(?:$|graphql$|docs\b|openapi\.json$|callbacks\/|payments\/)/;

const METHOD_NOT_ALLOWED = 405;

/** Statuses of requests without a route. */
const WITHOUT_ROUTE: ReadonlySet<number> = new Set([404, METHOD_NOT_ALLOWED]);

/** Compiles the responses of an OpenAPI document, each of them when it is first needed. */
export function compileResponses(text: string): ResponseValidator {
  const document = closeObjects(text) as ApiDocument;
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats(ajv);
  ajv.addSchema(document, 'openapi');
  const paths = Object.keys(document.paths).map((path) => ({ path, pattern: patternOf(path) }));
  const schemaOf = (pointer: readonly string[]): ValidateFunction | undefined =>
    ajv.getSchema(`openapi#${[...pointer, 'content', 'application/json', 'schema'].map(pointerPart).join('')}`);

  /** The path in the document, and the responses of its operation. A HEAD has those of its GET. */
  const find = (pathname: string, method: string) => {
    const path = paths.find(({ pattern }) => pattern.test(pathname))?.path;
    const verb = (method === 'HEAD' ? 'GET' : method).toLowerCase();
    const responses = path === undefined ? undefined : document.paths[path]?.[verb]?.responses;
    return path === undefined || responses === undefined ? undefined : { path, verb, responses };
  };
  const differencesOf = (
    { path, verb, responses }: NonNullable<ReturnType<typeof find>>,
    { method, status, body }: ReceivedResponse,
  ): readonly string[] => {
    if (!(String(status) in responses)) return ['the document has no such status'];
    if (method === 'HEAD') return [];
    const validate = schemaOf(['paths', path, verb, 'responses', String(status)]);
    return validate === undefined ? ['the document has no schema'] : errorsOf(validate, body);
  };

  return (response) => {
    const { method, url, status } = response;
    const { pathname } = new URL(url);
    if (method === 'OPTIONS' || OTHER_PATHS.test(pathname)) return undefined;
    const found = find(pathname, method);
    const hasNoRoute = found === undefined || (method === 'HEAD' && status === METHOD_NOT_ALLOWED);
    if (hasNoRoute && WITHOUT_ROUTE.has(status)) return undefined;
    const operation = `${method} ${found?.path ?? pathname}`;
    return { operation, differences: found === undefined ? [NO_ROUTE] : differencesOf(found, response) };
  };
}

const NO_ROUTE = 'the document has no such route';

/**
 * Parses a document, and allows no undocumented properties in its objects, so that a test finds them. Clients have to
 * allow them. Objects without documented properties stay open.
 */
const closeObjects = (text: string): unknown =>
  JSON.parse(text, (_, value: unknown) => (isClosed(value) ? { ...value, additionalProperties: false } : value));

const isClosed = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  [value.type].flat().includes('object') &&
  'properties' in value;

function errorsOf(validate: ValidateFunction, body: unknown): readonly string[] {
  if (validate(body)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message = '', params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
  );
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);

/** A part of a JSON pointer in the fragment of a URI. */
const pointerPart = (name: string): string =>
  `/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`;
