import { getNamedType, type GraphQLArgument, type GraphQLSchema, isRequiredArgument } from 'graphql';
import { BOUNDS } from '../bounds';
import { rootField } from '../root-field';
import { type RouteParameter, routeParameters } from '../route-parameters';
import { type SectionSwitch, sectionSwitches } from '../route-sections';
import type { RestRoute } from '../route-table';
import { errorResponses, headerReferences } from './error-responses';
import type { ArgumentExamples } from './examples';
import { FIELD_SCHEMAS } from './field-schemas';
import { described, type JsonSchema, typeSchema } from './json-schema';
import { requiredNames, requirements } from './required-fields';

const SECURITY = {
  apiKey: [{ ApiKeyAuth: [] }],
  bearer: [{ BearerAuth: [] }],
  apiKeyOrBearer: [{ ApiKeyAuth: [] }, { BearerAuth: [] }],
} as const;

const RESPONSE_HEADERS = [
  ...['x-request-id', 'x-ignored-parameters', 'RateLimit-Policy', 'RateLimit'],
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
];

/** The operation object of a route: its parameters, response and errors. */
export function routeOperation(schema: GraphQLSchema, route: RestRoute, examples: ArgumentExamples): JsonSchema {
  const field = rootField(schema, route.operation);
  const all = routeParameters(schema, route);
  const parameters = all
    .filter(({ source }) => source !== 'body')
    .map((parameter) => parameterObject(route, parameter, examples));
  const switches = sectionSwitches(route).map(switchObject);
  const body = all.filter(({ source }) => source === 'body').map(({ argument }) => argument);
  const isPost = route.method === 'POST';
  const idempotency = isPost ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : [];
  return {
    operationId: route.operationId ?? `${field.name}${route.deprecated === undefined ? '' : 'Legacy'}`,
    summary: summaryOf(field.description, field.name),
    description: descriptionOf(route, field.description ?? inWords(field.name)),
    tags: [route.tag],
    ...(route.deprecated === undefined ? {} : { deprecated: true }),
    security: SECURITY[route.auth],
    parameters: [...parameters, ...switches, ...idempotency, { $ref: '#/components/parameters/RequestId' }],
    ...(isPost ? { requestBody: requestBody(route, body, examples) } : {}),
    responses: {
      [String(route.status)]: {
        description: getNamedType(field.type).description ?? summaryOf(field.description, field.name),
        headers: headerReferences(
          responseHeaders(
            route,
            all.map(({ argument }) => argument),
          ),
        ),
        content: { 'application/json': { schema: typeSchema(field.type, 'received') } },
      },
      ...errorResponses(route),
    },
  };
}

const responseHeaders = ({ method, deprecated }: RestRoute, args: readonly GraphQLArgument[]): readonly string[] => [
  ...RESPONSE_HEADERS,
  ...(method === 'POST' ? ['idempotency-replayed'] : []),
  ...(deprecated === undefined ? [] : ['Deprecation', 'Sunset', 'Link']),
  ...(args.some(isDeprecated) ? ['Deprecation', 'x-deprecated-parameters'] : []),
];

const isDeprecated = ({ deprecationReason }: GraphQLArgument): boolean => typeof deprecationReason === 'string';

/** The first sentence. */
const summaryOf = (description: string | null | undefined, name: string): string =>
  /^[^.\n]+/.exec(description ?? '')?.[0] ?? name;

function descriptionOf({ deprecated, mayWrite }: RestRoute, description: string): string {
  const notes = [description];
  if (deprecated !== undefined) notes.push(`Deprecated: use \`${openApiPath(deprecated.successor)}\`.`);
  if (mayWrite === true) notes.push('May write: HEAD is not supported, and prefetch requests are rejected.');
  return notes.join('\n\n');
}

export const openApiPath = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

function parameterObject(
  route: RestRoute,
  { name, source, argument }: RouteParameter,
  examples: ArgumentExamples,
): JsonSchema {
  const isInPath = source === 'path';
  const example = exampleOf(route, { ...argument, name }, examples);
  const required = isInPath || requiredNames(route.operation, [declared(argument)]).length > 0;
  const schema = argumentSchema(route, { ...argument, name });
  return {
    name,
    in: isInPath ? 'path' : 'query',
    description: argument.description ?? getNamedType(argument.type).description ?? inWords(name),
    required,
    ...(isDeprecated(argument) ? { deprecated: true } : {}),
    schema: required ? withoutTypeList(schema) : schema,
    ...(example === undefined ? {} : { example }),
  };
}

/** Swagger UI takes a required parameter with several types for an empty one, and sends no request. */
function withoutTypeList(schema: JsonSchema): JsonSchema {
  const { type, ...others } = schema;
  if (!Array.isArray(type)) return schema;
  return { ...others, anyOf: type.map((each: unknown) => ({ type: each })) };
}

const switchObject = ({ parameter, values, default: otherwise }: SectionSwitch): JsonSchema => ({
  name: parameter,
  in: 'query',
  description: values === undefined ? 'Whether the response contains this section.' : 'Sections of the response.',
  required: false,
  schema: {
    ...(values === undefined ? { type: 'boolean' } : { type: 'string', enum: values }),
    default: otherwise,
  },
});

const declared = (argument: GraphQLArgument) => ({ name: argument.name, required: isRequiredArgument(argument) });

/** The example in the type of the argument: an id is a number in one route and a text in another. `undefined` without one. */
function exampleOf(route: RestRoute, argument: GraphQLArgument, examples: ArgumentExamples): unknown {
  const own = `${route.operation}.${argument.name}`;
  const example = examples[Object.hasOwn(examples, own) ? own : argument.name];
  const isInteger = argumentSchema(route, argument)['type'] === 'integer';
  return typeof example === 'string' && isInteger ? Number.parseInt(example, 10) : example;
}

/** `beneficiaryStreetLine1` → `Beneficiary street line 1`. */
const inWords = (name: string): string => {
  const words = name.replaceAll(/([a-z])([A-Z0-9])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

function argumentSchema({ operation }: RestRoute, argument: GraphQLArgument): JsonSchema {
  const bounds = BOUNDS[operation]?.[argument.name];
  const own = FIELD_SCHEMAS[`${operation}.${argument.name}`];
  const schema = { ...(own ?? typeSchema(argument.type, 'sent')), ...bounds };
  if (argument.defaultValue === undefined || bounds !== undefined) return schema;
  return { ...schema, default: argument.defaultValue };
}

function requestBody(route: RestRoute, args: readonly GraphQLArgument[], examples: ArgumentExamples): JsonSchema {
  const fields = args.map(declared);
  const required = requirements(route.operation, fields);
  const example = Object.fromEntries(
    args.flatMap((argument) => {
      const value = exampleOf(route, argument, examples);
      return value === undefined ? [] : [[argument.name, value] as const];
    }),
  );
  return {
    required: Object.keys(required).length > 0,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: Object.fromEntries(
            args.map((argument) => [
              argument.name,
              {
                ...described(argumentSchema(route, argument), argument.description),
                ...(isDeprecated(argument) ? { deprecated: true } : {}),
              },
            ]),
          ),
          ...required,
        },
        // One without a required field would be invalid.
        ...(requiredNames(route.operation, fields).every((name) => name in example) ? { example } : {}),
      },
    },
  };
}
