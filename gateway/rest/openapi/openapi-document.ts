import type { GraphQLSchema } from 'graphql';
import { VERSION } from '../../../src/config/version';
import { InvariantError } from '../../../src/errors/invariant-error';
import { DEFAULT_EXAMPLE, type ExampleValues } from '../../edge/example-values';
import { conditionalFields, restView } from '../rest-view';
import { type RestRoute, ROUTES } from '../route-table';
import { ERROR_DETAILS_SCHEMA, routeErrorCodes, errorExample } from './error-responses';
import { type ArgumentExamples, argumentExamples } from './examples';
import { HEALTH_PATHS, HEALTH_SCHEMAS } from './health-paths';
import { componentSchema, type JsonSchema } from './json-schema';
import { openApiPath, routeOperation } from './route-operation';
import { HEADERS, PARAMETERS, SECURITY_SCHEMES, TAGS } from './static-components';

export interface DocumentOptions {
  readonly serverUrl?: string | undefined;
  readonly routes?: readonly RestRoute[];
  readonly example?: ExampleValues;
}

/**
 * The REST contract as OpenAPI 3.1: from the public schema (parameters and shapes), the route table (paths, credentials,
 * codes) and the error catalog. The same input gives the same document, to the byte.
 */
export function openApiDocument(
  schema: GraphQLSchema,
  { serverUrl = '/', routes = ROUTES, example = DEFAULT_EXAMPLE }: DocumentOptions = {},
): JsonSchema {
  const view = restView(schema, routes);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Afluente',
      version: VERSION,
      summary: 'Swaps, yield and fiat ramps behind one API.',
      description:
        'Compares the quotes of many venues, builds transactions to sign, and tracks actions until they end. A nullable field is omitted when it has no value, unless its schema allows null. The same data is available as a federated graph at `/graphql`.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      contact: { name: 'Afluente maintainers' },
    },
    servers: [{ url: serverUrl }],
    tags: TAGS,
    paths: { ...routePaths(view, routes, argumentExamples(example)), ...HEALTH_PATHS },
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: PARAMETERS,
      headers: HEADERS,
      schemas: {
        ...typeSchemas(view, conditionalFields(view, routes)),
        ...HEALTH_SCHEMAS,
        ErrorDetails: ERROR_DETAILS_SCHEMA,
      },
      examples: Object.fromEntries(
        [...new Set(routes.flatMap(routeErrorCodes))].sort().map((code) => [code, errorExample(code)]),
      ),
    },
  };
}

/** The document as text, as it is served and committed. */
export const openApiText = (schema: GraphQLSchema, options?: DocumentOptions): string =>
  `${JSON.stringify(openApiDocument(schema, options), null, 2)}\n`;

function routePaths(view: GraphQLSchema, routes: readonly RestRoute[], examples: ArgumentExamples): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const route of routes) {
    (paths[openApiPath(route.path)] ??= {})[methodOf(route)] = routeOperation(view, route, examples);
  }
  return paths;
}

const methodOf = ({ method }: RestRoute): string => method.toLowerCase();

function typeSchemas(view: GraphQLSchema, conditional: ReadonlySet<string>): JsonSchema {
  const schemas: Record<string, JsonSchema> = {};
  const roots = new Set([view.getQueryType()?.name, view.getMutationType()?.name]);
  for (const [name, type] of Object.entries(view.getTypeMap()).sort(([first], [second]) => (first < second ? -1 : 1))) {
    const schema = name.startsWith('__') || roots.has(name) ? undefined : componentSchema(type, conditional);
    if (schema === undefined) continue;
    if (name in HEALTH_SCHEMAS || name === 'ErrorDetails')
      throw new InvariantError(`the type ${name} has a name that the API specification uses`);
    schemas[name] = schema;
  }
  return schemas;
}
