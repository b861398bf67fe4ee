import {
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLScalarType,
  type GraphQLType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  isScalarType,
} from 'graphql';
import { KEPT_NULLS } from '../null-fields';

/** A JSON Schema in the dialect of OpenAPI 3.1, or another object of such a document. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const UUID = '01890a5d-ac96-774b-bcce-b302099a8057';

/** Schemas of scalars, by name. */
const SCALAR_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Boolean: { type: 'boolean' },
  Float: { type: 'number', format: 'double' },
  ID: { type: 'string' },
  Int: { type: 'integer', format: 'int32' },
  String: { type: 'string' },
  Address: { type: 'string', minLength: 32, maxLength: 44, examples: ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'] },
  Amount: { type: 'string', pattern: '^(0|[1-9][0-9]{0,77})$', maxLength: 78, examples: ['5000000'] },
  ChainName: { type: 'string', pattern: '^[A-Za-z0-9-]{1,32}$', maxLength: 32, examples: ['base'] },
  DateTime: { type: 'string', format: 'date-time', examples: ['2026-01-31T12:00:00.000Z'] },
  DecimalFraction: { type: 'string', pattern: '^-?[0-9]*(\\.[0-9]+)?$', maxLength: 64, examples: ['0.005'] },
  JSON: {},
  SafeInt: { type: 'integer', format: 'int64', minimum: -(2 ** 53) + 1, maximum: 2 ** 53 - 1, examples: [8453] },
  URL: { type: 'string', format: 'uri', maxLength: 2048, examples: ['https://example.org/hooks'] },
  UUID: { type: 'string', format: 'uuid', examples: [UUID] },
};

export const referenceTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** Schema of a value of this type, regardless of its nullability. Named types are references. */
export function typeSchema(type: GraphQLType): JsonSchema {
  if (isNonNullType(type)) return typeSchema(type.ofType);
  if (isListType(type)) return { type: 'array', items: typeSchema(type.ofType) };
  return isScalarType(type) ? scalarSchema(type) : referenceTo(type.name);
}

/** Schema of a named type, for the components. Fields in `conditional`, as `Type.field`, are never required. */
export function componentSchema(
  type: GraphQLNamedType,
  conditional: ReadonlySet<string> = NO_FIELDS,
): JsonSchema | undefined {
  if (isEnumType(type)) return enumSchema(type);
  if (isObjectType(type)) return objectSchema(type, conditional);
  if (isInputObjectType(type)) return inputSchema(type);
  if (isAbstractType(type) && 'getTypes' in type)
    return { oneOf: type.getTypes().map(({ name }) => referenceTo(name)) };
  return undefined;
}

/** Adds a description to a schema. */
export const described = (schema: JsonSchema, description: string | null | undefined): JsonSchema =>
  description === null || description === undefined ? schema : { ...schema, description };

const scalarSchema = ({ name, description }: GraphQLScalarType): JsonSchema =>
  described(
    SCALAR_SCHEMAS[name] ?? { type: 'string' },
    SCALAR_SCHEMAS[name]?.['format'] === undefined ? description : undefined,
  );

function enumSchema(type: GraphQLEnumType): JsonSchema {
  const values = type.getValues();
  const lines = values.flatMap(({ name, description }) => (description ? [`- \`${name}\`: ${description}`] : []));
  const description = [type.description, ...lines].filter(Boolean).join('\n');
  return { type: 'string', enum: values.map(({ name }) => name), ...(description === '' ? {} : { description }) };
}

const NO_FIELDS: ReadonlySet<string> = new Set();

function objectSchema(type: GraphQLObjectType, conditional: ReadonlySet<string>): JsonSchema {
  const fields = Object.values(type.getFields());
  const properties = Object.fromEntries(fields.map((field) => [field.name, propertySchema(type, field)]));
  const required = fields.filter(
    (field) =>
      !conditional.has(`${type.name}.${field.name}`) && (isNonNullType(field.type) || isAlwaysShown(type, field)),
  );
  return described(shape(properties, required), type.description);
}

function inputSchema(type: GraphQLInputObjectType): JsonSchema {
  const fields = Object.values(type.getFields());
  const properties = Object.fromEntries(
    fields.map((field) => [field.name, described(typeSchema(field.type), field.description)]),
  );
  return described(shape(properties, fields.filter(isRequiredInputField)), type.description);
}

const shape = (properties: JsonSchema, required: readonly { readonly name: string }[]): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required: required.map(({ name }) => name) }),
});

function propertySchema(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>): JsonSchema {
  const schema = described(typeSchema(field.type), field.description);
  const withNull = KEPT_NULLS.some((kept) => kept.field === `${type.name}.${field.name}`) ? orNull(schema) : schema;
  return field.deprecationReason ? { ...withNull, deprecated: true } : withNull;
}

const isAlwaysShown = (type: GraphQLObjectType, field: { readonly name: string }): boolean =>
  KEPT_NULLS.some((kept) => kept.field === `${type.name}.${field.name}` && kept.whenOutput === undefined);

function orNull({ description, ...schema }: JsonSchema): JsonSchema {
  const nullable =
    typeof schema['type'] === 'string' ? { ...schema, type: [schema['type'], 'null'] } : anyOrNull(schema);
  return description === undefined ? nullable : { ...nullable, description };
}

const anyOrNull = (schema: JsonSchema): JsonSchema =>
  Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: 'null' }] };
