import type { InputRewrite, RequiresSelection } from '@graphql-hive/router-query-planner';
import { isName, literal, runGeneratedProgram, textLiteral } from '../generated-function';
import type { DataObject } from './merge';
import { type RequiredField, requiredFieldsOf } from './required-fields';
import { typeNameFor } from './rewrites';
import type { SupergraphFacts } from '../supergraph-facts';

/** Builds the representations of objects of one type. */
export interface RepresentationMaker {
  /** `undefined` when a required field is missing because an earlier fetch failed, or when no fragment fits the object. */
  readonly make: (object: DataObject) => DataObject | undefined;
  /** Key that is equal exactly for equal representations of this type. */
  readonly keyOf: (representation: DataObject) => string;
}

export interface RepresentationSource {
  readonly requires: readonly RequiresSelection[];
  readonly inputRewrites: readonly InputRewrite[] | undefined;
  readonly facts: SupergraphFacts;
  /** Renames by output rewrites of the plan, as `key>new key`. */
  readonly renames: ReadonlySet<string>;
}

/** Bounds the memory, because type names come from subgraphs. */
const MAX_TYPES = 500;

/** Returns the maker for an object, by its `__typename`. */
export function compileRepresentations(source: RepresentationSource): (object: DataObject) => RepresentationMaker {
  return byTypeName((typeName) => compileEntityMaker(source, typeName));
}

function byTypeName<Made>(create: (typeName: string | undefined) => Made): (object: DataObject) => Made {
  const made = new Map<unknown, Made>();
  return ({ __typename: name }) => {
    let known = made.get(name);
    if (known === undefined) {
      if (made.size >= MAX_TYPES) made.clear();
      known = create(typeof name === 'string' && isName(name) ? name : undefined);
      made.set(name, known);
    }
    return known;
  };
}

/** No representation: the object's type is none of those whose fields are looked up. */
const NOT_SENT: RepresentationMaker = { make: () => undefined, keyOf: JSON.stringify };

function compileEntityMaker(source: RepresentationSource, typeName: string | undefined): RepresentationMaker {
  const { requires, inputRewrites, facts } = source;
  const original = typeName ?? soleTypeCondition(requires);
  if (original === undefined) return NOT_SENT;
  const sent = typeNameFor(original, inputRewrites, facts);
  // Fragments match the original type, and would not match the type name of the subgraph.
  const fields = requiredFieldsOf(requires, typeName, facts);
  if (fields.size === 0) return NOT_SENT;
  return { make: compileMake(source, fields, { typeName: sent, isEntity: true }), keyOf: compileKey(fields, sent) };
}

/** The type of objects without `__typename`. */
export function soleTypeCondition(requires: readonly RequiresSelection[]): string | undefined {
  const [first] = requires;
  return requires.length === 1 && first?.kind === 'InlineFragment' ? first.typeCondition : undefined;
}

type Fields = ReadonlyMap<string, RequiredField>;
type Make = (object: DataObject) => DataObject | undefined;
type KeyOf = (representation: DataObject) => string;

interface MadeObject {
  readonly typeName: string | undefined;
  /** False for an object below a representation. */
  readonly isEntity: boolean;
}

/**
 * Generates code, because it runs for every object of every request: property accesses with fixed names and one object
 * literal are several times faster than loops over keys.
 */
function compileMake(source: RepresentationSource, fields: Fields, { typeName, isEntity }: MadeObject): Make {
  const nested: ((value: unknown) => unknown)[] = [];
  const properties = typeName === undefined ? [] : [`"__typename":${literal(typeName)}`];
  const variables: string[] = [];
  let body = '';
  for (const [key, field] of fields) {
    const variable = `v${String(properties.length)}`;
    variables.push(variable);
    properties.push(`${literal(key)}:${variable}`);
    body += `let ${variable}=o[${literal(field.dataKey)}];`;
    // Without such a rename, the plain key may hold the caller's value, with the caller's arguments.
    if (source.renames.has(`${field.dataKey}>${key}`))
      body += `if(${variable}===undefined)${variable}=o[${literal(key)}];`;
    if (field.selections.length > 0) {
      const index = nested.push(compileNested(source, field.selections)) - 1;
      body += `if(${variable}!==undefined)${variable}=nested[${index}](${variable});`;
    }
    if (!field.optional) body += `if(${variable}===undefined)return undefined;`;
  }
  // With optional fields only, the fragment was for another type when the object has none of them.
  const absent = isEntity && [...fields.values()].every(({ optional }) => optional) ? variables.map(isUndefined) : [];
  if (absent.length > 0) body += `if(${absent.join('&&')})return undefined;`;
  const make = `return function make(o){${body}return {${properties.join(',')}}}`;
  return runGeneratedProgram({ body: make, values: { nested } }) as Make;
}

const isUndefined = (variable: string): string => `${variable}===undefined`;

/** Objects below a representation keep the `__typename` of the data. Nulls in lists are kept. */
function compileNested(
  source: RepresentationSource,
  selections: readonly RequiresSelection[],
): (value: unknown) => unknown {
  const makerOf = byTypeName((typeName) =>
    compileMake(source, requiredFieldsOf(selections, typeName, source.facts), { typeName, isEntity: false }),
  );
  const complete = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (!Array.isArray(value)) return makerOf(value as DataObject)(value as DataObject);
    const items: unknown[] = value.map(complete);
    return items.includes(undefined) ? undefined : items;
  };
  return complete;
}

/**
 * When all fields are strings, the key is their concatenation with the lengths in front, so that different representations
 * have different keys. Otherwise it is JSON, whose leading brace no type name has.
 */
function compileKey(fields: Fields, typeName: string): KeyOf {
  const keys = [...fields.keys()];
  const flat = [...fields.values()].every((field) => field.selections.length === 0 && !field.optional);
  if (!flat || keys.length === 0) return JSON.stringify;
  const values = keys.map((key) => `r[${literal(key)}]`);
  const strings = values.map((value) => `typeof ${value}==='string'`).join('&&');
  const lengths = values.slice(0, -1).map((value) => `${value}.length+','`);
  const key = [textLiteral(`${typeName}:`), ...lengths, ...values].join('+');
  return runGeneratedProgram({
    body: `return function keyOf(r){return ${strings}?${key}:JSON.stringify(r)}`,
    values: {},
  }) as KeyOf;
}
