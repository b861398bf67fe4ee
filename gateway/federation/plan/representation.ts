import type { InputRewrite, RequiresSelection } from '@graphql-hive/router-query-planner';
import { isName, literal, runGeneratedProgram, textLiteral } from '../generated-function';
import type { DataObject } from './merge';
import { type RequiredField, requiredFieldsOf } from './required-fields';
import { typeNameFor } from './rewrites';
import type { SupergraphFacts } from '../supergraph-facts';

/** Makes the representations of objects of one type. */
export interface RepresentationMaker {
  /** `undefined` when a required field is unknown, because an earlier fetch failed: there is nothing to ask for. */
  readonly make: (object: DataObject) => DataObject | undefined;
  /** Equal for equal representations of this type, and for no others. */
  readonly keyOf: (representation: DataObject) => string;
}

export interface RepresentationSource {
  readonly requires: readonly RequiresSelection[];
  readonly inputRewrites: readonly InputRewrite[] | undefined;
  readonly facts: SupergraphFacts;
  /** Renames that the plan's output rewrites do, as `key>new key`. */
  readonly renames: ReadonlySet<string>;
}

/** Type names come from subgraphs: a subgraph that invents them must not fill the memory. */
const MAX_TYPES = 500;

/** The maker for an object, by its `__typename`. */
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

function compileEntityMaker(source: RepresentationSource, typeName: string | undefined): RepresentationMaker {
  const { requires, inputRewrites, facts } = source;
  const original = typeName ?? soleTypeCondition(requires);
  if (original === undefined) return { make: () => undefined, keyOf: JSON.stringify };
  const sent = typeNameFor(original, inputRewrites, facts);
  // Fragments are chosen by the original type: the type that the subgraph knows would miss them all.
  const fields = requiredFieldsOf(requires, typeName, facts);
  return { make: compileMake(source, fields, sent), keyOf: compileKey(fields, sent) };
}

function soleTypeCondition(requires: readonly RequiresSelection[]): string | undefined {
  const [first] = requires;
  return requires.length === 1 && first?.kind === 'InlineFragment' ? first.typeCondition : undefined;
}

type Fields = ReadonlyMap<string, RequiredField>;
type Make = (object: DataObject) => DataObject | undefined;
type KeyOf = (representation: DataObject) => string;

/**
 * Generated code, because it runs once per object and request: property accesses with known names and one object
 * literal are several times faster than loops over keys.
 */
function compileMake(source: RepresentationSource, fields: Fields, typeName: string | undefined): Make {
  const nested: ((value: unknown) => unknown)[] = [];
  const properties = typeName === undefined ? [] : [`"__typename":${literal(typeName)}`];
  let body = '';
  for (const [key, field] of fields) {
    const variable = `v${String(properties.length)}`;
    properties.push(`${literal(key)}:${variable}`);
    body += `let ${variable}=o[${literal(field.dataKey)}];`;
    // Elsewhere the plain key may hold the value that the caller asked for, with the caller's arguments.
    if (source.renames.has(`${field.dataKey}>${key}`))
      body += `if(${variable}===undefined)${variable}=o[${literal(key)}];`;
    if (field.selections.length > 0) {
      const index = nested.push(compileNested(source, field.selections)) - 1;
      body += `if(${variable}!==undefined)${variable}=nested[${index}](${variable});`;
    }
    if (!field.optional) body += `if(${variable}===undefined)return undefined;`;
  }
  const make = `return function make(o){${body}return {${properties.join(',')}}}`;
  return runGeneratedProgram({ body: make, values: { nested } }) as Make;
}

/** Objects below a representation keep the `__typename` that the data has; holes of lists stay. */
function compileNested(
  source: RepresentationSource,
  selections: readonly RequiresSelection[],
): (value: unknown) => unknown {
  const makerOf = byTypeName((typeName) =>
    compileMake(source, requiredFieldsOf(selections, typeName, source.facts), typeName),
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
 * Keys of representations whose fields are all strings are concatenated, with the lengths in front so that no two
 * different ones can meet; the others are JSON, which starts with a brace as no type name does.
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
