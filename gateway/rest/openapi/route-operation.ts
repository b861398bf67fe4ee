import { getNamedType, type GraphQLArgument, type GraphQLSchema, isRequiredArgument } from 'graphql';
import { BOUNDS } from '../bounds';
import { argumentSource } from '../coercion/compile-coercer';
import { rootField } from '../rest-view';
import type { RestRoute } from '../route-table';
import { errorResponses, headerReferences } from './error-responses';
import { ARGUMENT_EXAMPLES } from './examples';
import { described, type JsonSchema, typeSchema } from './json-schema';

const SECURITY = {
  apiKey: [{ ApiKeyAuth: [] }],
  bearer: [{ BearerAuth: [] }],
  apiKeyOrBearer: [{ ApiKeyAuth: [] }, { BearerAuth: [] }],
} as const;

const ANSWER_HEADERS = [
  ...['x-request-id', 'x-ignored-parameters', 'RateLimit-Policy', 'RateLimit'],
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
];

/** The operation object of a route: what it takes, what it answers, and how it fails. */
export function routeOperation(schema: GraphQLSchema, route: RestRoute): JsonSchema {
  const field = rootField(schema, route.operation);
  const parameters = field.args
    .filter((argument) => argumentSource(route, argument.name) !== 'body')
    .map((argument) => parameterOf(route, argument));
  const body = field.args.filter((argument) => argumentSource(route, argument.name) === 'body');
  const isPost = route.method === 'POST';
  const idempotency = isPost ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : [];
  return {
    operationId: `${field.name}${route.deprecated === undefined ? '' : 'Legacy'}`,
    summary: summaryOf(field.description, field.name),
    description: descriptionOf(route, field.description),
    tags: [route.tag],
    ...(route.deprecated === undefined ? {} : { deprecated: true }),
    security: SECURITY[route.auth],
    parameters: [...parameters, ...idempotency, { $ref: '#/components/parameters/RequestId' }],
    ...(isPost ? { requestBody: requestBody(route, body) } : {}),
    responses: {
      [String(route.status)]: {
        description: `The value of \`${route.operation}\`.`,
        headers: headerReferences(answerHeaders(route, field.args)),
        content: { 'application/json': { schema: typeSchema(field.type) } },
      },
      ...errorResponses(route),
    },
  };
}

const answerHeaders = ({ method, deprecated }: RestRoute, args: readonly GraphQLArgument[]): readonly string[] => [
  ...ANSWER_HEADERS,
  ...(method === 'POST' ? ['idempotency-replayed'] : []),
  ...(deprecated === undefined ? [] : ['Deprecation', 'Sunset', 'Link']),
  ...(args.some(isDeprecated) ? ['Deprecation', 'x-deprecated-parameters'] : []),
];

const isDeprecated = ({ deprecationReason }: GraphQLArgument): boolean => typeof deprecationReason === 'string';

/** The first sentence. */
const summaryOf = (description: string | null | undefined, name: string): string =>
  /^[^.\n]+/.exec(description ?? '')?.[0] ?? name;

function descriptionOf({ deprecated, mayWrite, operation }: RestRoute, description: string | null | undefined): string {
  const notes = [description ?? `Answers with the value of \`${operation}\`.`];
  if (deprecated !== undefined) notes.push(`Deprecated: use \`${openApiPath(deprecated.successor)}\`.`);
  if (mayWrite === true) notes.push('May write: HEAD is not served, and prefetching is refused.');
  return notes.join('\n\n');
}

export const openApiPath = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

function parameterOf(route: RestRoute, argument: GraphQLArgument): JsonSchema {
  const isInPath = argumentSource(route, argument.name) === 'path';
  const example = exampleOf(route, argument);
  return {
    name: argument.name,
    in: isInPath ? 'path' : 'query',
    description: argument.description ?? getNamedType(argument.type).description ?? inWords(argument.name),
    required: isInPath || isRequiredArgument(argument),
    ...(isDeprecated(argument) ? { deprecated: true } : {}),
    schema: argumentSchema(route, argument),
    ...(example === undefined ? {} : { example }),
  };
}

/** In the type that the argument has here: an id is a number in one route and a text in another. */
function exampleOf(route: RestRoute, argument: GraphQLArgument): string | number | undefined {
  const example = ARGUMENT_EXAMPLES[argument.name];
  const isInteger = argumentSchema(route, argument)['type'] === 'integer';
  return example !== undefined && isInteger ? Number.parseInt(example, 10) : example;
}

/** `beneficiaryStreetLine1` → `Beneficiary street line 1`. */
const inWords = (name: string): string => {
  const words = name.replaceAll(/([a-z])([A-Z0-9])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

function argumentSchema({ operation }: RestRoute, argument: GraphQLArgument): JsonSchema {
  const bounds = BOUNDS[operation]?.[argument.name];
  const schema = { ...typeSchema(argument.type), ...bounds };
  if (argument.defaultValue === undefined || bounds !== undefined) return schema;
  return { ...schema, default: argument.defaultValue };
}

function requestBody(route: RestRoute, args: readonly GraphQLArgument[]): JsonSchema {
  const required = args.filter(isRequiredArgument).map(({ name }) => name);
  const example = Object.fromEntries(
    args.flatMap((argument) => {
      const value = exampleOf(route, argument);
      return value === undefined ? [] : [[argument.name, value] as const];
    }),
  );
  return {
    required: required.length > 0,
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
          ...(required.length === 0 ? {} : { required }),
        },
        example,
      },
    },
  };
}
