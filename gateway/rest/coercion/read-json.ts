import {
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import { type ValueReader, addIssue, isGiven } from './findings';
import { scalarReader } from './read-scalar';

/** Compiles a reader of JSON values of this type. Nested issues have dotted paths. */
export function jsonReader(type: GraphQLInputType): ValueReader {
  if (isNonNullType(type)) return jsonReader(type.ofType);
  if (isListType(type)) return listReader(type.ofType);
  if (isEnumType(type)) return enumReader(type);
  if (isInputObjectType(type)) return objectReader(type);
  return scalarReader(type);
}

/** Compiles a reader of enum values, by their exact names. */
export function enumReader(type: GraphQLEnumType): ValueReader {
  const names = type.getValues().map(({ name }) => name);
  const known = new Set<unknown>(names);
  const problem = `must be one of ${names.join(', ')}`;
  return (given, path, findings) => (known.has(given) ? given : addIssue(findings, path, problem));
}

function listReader(itemType: GraphQLInputType): ValueReader {
  const read = jsonReader(itemType);
  const takesNull = !isNonNullType(itemType);
  return (given, path, findings) => {
    if (!Array.isArray(given)) return addIssue(findings, path, 'must be a list');
    return given.map((item: unknown, position) =>
      item === null && takesNull ? null : read(item, `${path}.${position}`, findings),
    );
  };
}

function objectReader(type: GraphQLInputObjectType): ValueReader {
  const fields = Object.values(type.getFields()).map((field) => ({
    name: field.name,
    required: isRequiredInputField(field),
    // Compiled at the first use, because input types can be recursive.
    read: lazily(() => jsonReader(field.type)),
  }));
  const known = new Set(fields.map(({ name }) => name));
  return (given, path, findings) => {
    if (!isJsonObject(given)) return addIssue(findings, path, 'must be an object');
    const result: Record<string, unknown> = {};
    for (const { name, required, read } of fields) {
      const inner = given[name];
      if (isGiven(inner)) result[name] = read()(inner, `${path}.${name}`, findings);
      else if (required) addIssue(findings, `${path}.${name}`, 'is required');
    }
    for (const name of Object.keys(given)) if (!known.has(name)) findings.ignored.push(`${path}.${name}`);
    return result;
  };
}

export const isJsonObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function lazily<Value>(create: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= create());
}
