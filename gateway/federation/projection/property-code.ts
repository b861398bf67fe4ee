import { getNullableType, type GraphQLField, isNonNullType } from 'graphql';
import { type CollectedField, type CompositeType, definitionOf } from '../document/collect-fields';
import { literal } from '../generated-function';
import type { CodeContext, ValueCode } from './code-context';

/** Code for one property of an object in the response. */
export interface PropertyCode {
  readonly responseKey: string;
  /** Statements that compute `variable`, or return null when the object cannot be completed. */
  readonly statements: string;
  readonly variable: string;
  /** The value itself when it is constant at compile time (JSON text in output `json`). */
  readonly constant: string | undefined;
  /** True when the property is omitted if `variable` is null. */
  readonly droppedWhenNull: boolean;
  /** Deferred statement that converts `variable`, not null and usually a string, to JSON text. */
  readonly toText: string | undefined;
}

export interface PropertyPlace {
  readonly type: CompositeType;
  /** `undefined` when the type of the object depends on the data. */
  readonly typeName: string | undefined;
  readonly variable: string;
}

/** `undefined` for a field that the type does not have. */
export function propertyCode(
  context: CodeContext,
  place: PropertyPlace,
  collected: CollectedField,
): PropertyCode | undefined {
  const { field } = collected;
  if (field.name === '__typename') return typeNameCode(context, place, field.responseKey);
  if (field.name.startsWith('__')) return introspectionCode(context, place, field.responseKey);
  const definition = definitionOf(place.type, field);
  return definition === undefined ? undefined : fieldCode(context, place, { ...collected, definition });
}

function typeNameCode({ source }: CodeContext, place: PropertyPlace, responseKey: string): PropertyCode {
  const { typeName, type, variable } = place;
  const base = { responseKey, variable, droppedWhenNull: false, toText: undefined };
  if (typeName !== undefined) {
    return { ...base, statements: '', constant: source.output === 'json' ? JSON.stringify(typeName) : typeName };
  }
  const name = `o.__typename??${literal(type.name)}`;
  const value = source.output === 'json' ? `text(${name})` : name;
  return { ...base, statements: `const ${variable}=${value};`, constant: undefined };
}

function introspectionCode({ source }: CodeContext, { variable }: PropertyPlace, responseKey: string): PropertyCode {
  const stored = `s.introspection[${literal(responseKey)}]??null`;
  const value = source.output === 'json' ? `stringify(${stored})` : stored;
  return {
    responseKey,
    variable,
    constant: undefined,
    droppedWhenNull: false,
    toText: undefined,
    statements: `const ${variable}=${value};`,
  };
}

type DefinedField = CollectedField & { readonly definition: GraphQLField<unknown, unknown> };

function fieldCode(
  context: CodeContext,
  { type, variable }: PropertyPlace,
  { field, below, definition }: DefinedField,
): PropertyCode {
  const { output, keepNull } = context.source;
  const nonNull = isNonNullType(definition.type);
  const value = context.valueCode(getNullableType(definition.type), below);
  const droppedWhenNull = !nonNull && keepNull !== undefined && !keepNull(type.name, field.name);
  const base = { responseKey: field.responseKey, variable, constant: undefined, droppedWhenNull };
  const load = `let ${variable}=o[${literal(field.dataKey)}];`;
  if (nonNull) {
    const statements = `${load}if(${variable}==null)return violation(s);`;
    if (value.isText) return { ...base, statements, toText: `${variable}=${value.expression(variable)};` };
    return { ...base, statements: statements + nonNullStatements(variable, value), toText: undefined };
  }
  const absent = output === 'json' && !droppedWhenNull ? `'null'` : 'null';
  return { ...base, statements: load + nullableStatements(variable, value, absent), toText: undefined };
}

function nonNullStatements(variable: string, { expression, mayFail }: ValueCode): string {
  const completed = `${variable}=${expression(variable)}`;
  return mayFail ? `if((${completed})===null)return null;` : `${completed};`;
}

function nullableStatements(variable: string, { expression, mayFail }: ValueCode, absent: string): string {
  const completed = `${variable}=${expression(variable)}`;
  if (!mayFail || absent === 'null') return `${variable}=${variable}==null?${absent}:${expression(variable)};`;
  return `if(${variable}==null||(${completed})===null)${variable}=${absent};`;
}
