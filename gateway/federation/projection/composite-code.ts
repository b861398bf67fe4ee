import { type GraphQLObjectType, isAbstractType, isObjectType } from 'graphql';
import type { Selections } from '../document/operation-tree';
import { type CompositeType, definitionOf } from '../document/collect-fields';
import { literal } from '../generated-function';
import type { CodeContext, ValueCode } from './code-context';
import { objectBody } from './object-code';

const NO_OBJECT = `if(typeof o!=='object'||Array.isArray(o))return violation(s);`;

export function compositeCode(context: CodeContext, type: CompositeType, levels: readonly Selections[]): ValueCode {
  const name = context.once(`${type.name}${context.keyOf(levels)}`, () => {
    const body = isObjectType(type)
      ? objectBody(context, { type, typeName: type.name, levels })
      : abstractBody(context, type, levels);
    return context.addFunction(NO_OBJECT + body);
  });
  return { expression: (variable) => `${name}(${variable},s)`, mayFail: true, isText: false };
}

/** Chooses the type by `__typename`. For a type that the public schema lacks, the position becomes null. */
function abstractBody(context: CodeContext, type: CompositeType, levels: readonly Selections[]): string {
  let cases = '';
  for (const alike of groupAlike(context, type, levels)) {
    const [first] = alike;
    if (first === undefined) continue;
    const name = context.addFunction(objectBody(context, { type: first, typeName: first.name, levels }));
    cases += `${casesOf(alike.map((each) => each.name))}return ${name}(o,s);`;
  }
  // Without a type name, or with the name of an interface, the static type decides.
  const fallback = context.addFunction(objectBody(context, { type, typeName: undefined, levels }));
  cases += `case undefined:${casesOf(abstractNames(context, type))}return ${fallback}(o,s);`;
  return `switch(o.__typename){${cases}default:return violation(s)}`;
}

const casesOf = (names: readonly string[]): string => names.map((name) => `case ${literal(name)}:`).join('');

function abstractNames({ source }: CodeContext, type: CompositeType): readonly string[] {
  const names = [type.name, ...(source.facts.subtypes.get(type.name) ?? [])];
  return names.filter((name) => isAbstractType(source.schema.getType(name)));
}

/** Groups the possible types that share the same code. */
function groupAlike(
  context: CodeContext,
  type: CompositeType,
  levels: readonly Selections[],
): Iterable<readonly GraphQLObjectType[]> {
  if (!isAbstractType(type)) return [];
  const groups = new Map<string, GraphQLObjectType[]>();
  for (const possible of context.source.schema.getPossibleTypes(type)) {
    const signature = signatureOf(context, possible, levels);
    const group = groups.get(signature);
    if (group === undefined) groups.set(signature, [possible]);
    else group.push(possible);
  }
  return groups.values();
}

function signatureOf(context: CodeContext, type: GraphQLObjectType, levels: readonly Selections[]): string {
  const { fieldsOf, keepNull } = context.source;
  return [...fieldsOf(type, levels)]
    .map(([key, { field, below }]) => {
      const definition = definitionOf(type, field);
      const shape = definition === undefined ? type.name : String(definition.type);
      const kept = keepNull?.(type.name, field.name) === true ? 'kept' : '';
      return [key, field.dataKey, shape, kept, context.keyOf(below)].join(' ');
    })
    .join(';');
}
