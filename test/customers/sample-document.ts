import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
  isScalarType,
} from 'graphql';

/** A root field of the graph with everything that a request for it needs. */
export interface SampleOperation {
  /** `Query.me`. */
  readonly name: string;
  readonly source: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

const SAMPLES: Readonly<Record<string, unknown>> = {
  Address: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
  Amount: '1000000',
  Boolean: true,
  ChainName: 'base',
  DateTime: '2999-01-01T00:00:00.000Z',
  DecimalFraction: '0.01',
  Float: 1,
  ID: 'unknown',
  Int: 1,
  JSON: {},
  SafeInt: 8453,
  String: 'sample',
  URL: 'https://hooks.example.com/',
  UUID: '0197a3c0-0000-7000-8000-00000000dead',
};

function sampleOf(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return sampleOf(type.ofType);
  if (isListType(type)) return [sampleOf(type.ofType)];
  // The last one: of roles the weakest.
  if (isEnumType(type)) return type.getValues().at(-1)!.name;
  if (isScalarType(type)) {
    if (!(type.name in SAMPLES)) throw new Error(`the scalar ${type.name} has no sample`);
    return SAMPLES[type.name];
  }
  if (!isInputObjectType(type)) throw new Error(`${String(type)} has no sample`);
  const required = Object.values(type.getFields()).filter(isRequiredInputField);
  return Object.fromEntries(required.map((field) => [field.name, sampleOf(field.type)]));
}

const selectionOf = (type: GraphQLOutputType): string => (isCompositeType(getNamedType(type)) ? '{ __typename }' : '');

/** A request for a root field. `given`: arguments in place of the samples; optional arguments only when given. */
export function sampleOperation(
  field: GraphQLField<unknown, unknown>,
  kind: 'Query' | 'Mutation' | 'Subscription',
  given: Readonly<Record<string, unknown>> = {},
): SampleOperation {
  const used = field.args.filter((argument) => isRequiredArgument(argument) || argument.name in given);
  const variables = Object.fromEntries(used.map(({ name, type }) => [name, given[name] ?? sampleOf(type)]));
  const declared = used.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const passed = used.map(({ name }) => `${name}: $${name}`).join(', ');
  const [variablesOf, argumentsOf] = used.length === 0 ? ['', ''] : [`(${declared})`, `(${passed})`];
  const source = `${kind.toLowerCase()} ${variablesOf} { ${field.name}${argumentsOf} ${selectionOf(field.type)} }`;
  return { name: `${kind}.${field.name}`, source, variables };
}

/** All root fields of a schema, as `Query.me`. */
export function rootFieldsOf(
  schema: GraphQLSchema,
): readonly { readonly kind: SampleKind; readonly field: GraphQLField<unknown, unknown> }[] {
  const types = [
    ['Query', schema.getQueryType()],
    ['Mutation', schema.getMutationType()],
    ['Subscription', schema.getSubscriptionType()],
  ] as const;
  return types.flatMap(([kind, type]) => Object.values(type?.getFields() ?? {}).map((field) => ({ kind, field })));
}

type SampleKind = 'Query' | 'Mutation' | 'Subscription';
