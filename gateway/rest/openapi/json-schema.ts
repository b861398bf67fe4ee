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
import { FIELD_SCHEMAS } from './field-schemas';
import { requirements } from './required-fields';
import { type Direction, schemaOfScalar } from './scalar-schemas';

/** A JSON Schema in the dialect of OpenAPI 3.1, or another object of such a document. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export const referenceTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** Schema of a value of this type, regardless of its nullability. Named types are references. */
export function typeSchema(type: GraphQLType, direction: Direction): JsonSchema {
  if (isNonNullType(type)) return typeSchema(type.ofType, direction);
  if (isListType(type)) return { type: 'array', items: typeSchema(type.ofType, direction) };
  return isScalarType(type) ? scalarSchema(type, direction) : referenceTo(type.name);
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

function scalarSchema({ name, description }: GraphQLScalarType, direction: Direction): JsonSchema {
  const schema = schemaOfScalar(name, direction) ?? { type: 'string' };
  return schema['format'] === undefined ? described(schema, description) : schema;
}

/** Schema of a field or argument that `key` names in FIELD_SCHEMAS, else of its type. */
export function valueSchema(
  key: string,
  { type, description }: { readonly type: GraphQLType; readonly description?: string | null | undefined },
  direction: Direction,
): JsonSchema {
  const own = FIELD_SCHEMAS[key];
  if (own === undefined) return described(typeSchema(type, direction), description);
  return { ...described({}, description), ...own };
}

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
  const isRequired = (field: GraphQLField<unknown, unknown>): boolean =>
    !conditional.has(`${type.name}.${field.name}`) && (isNonNullType(field.type) || isAlwaysShown(type, field));
  const required = fields.filter(isRequired).map(({ name }) => name);
  const shape = { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
  return described(shape, type.description);
}

function inputSchema(type: GraphQLInputObjectType): JsonSchema {
  const fields = Object.values(type.getFields());
  const properties = Object.fromEntries(
    fields.map((field) => [field.name, valueSchema(`${type.name}.${field.name}`, field, 'sent')]),
  );
  const declared = fields.map((field) => ({ name: field.name, required: isRequiredInputField(field) }));
  return described({ type: 'object', properties, ...requirements(type.name, declared) }, type.description);
}

function propertySchema(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>): JsonSchema {
  const schema = valueSchema(`${type.name}.${field.name}`, field, 'received');
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
