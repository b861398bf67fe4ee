import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  buildSchema,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';

const schema = buildSchema(readFileSync(path.join(__dirname, '../../gateway/api.graphql'), 'utf8'));
const ROOTS = new Set<unknown>([schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]);

type Described = readonly [name: string, description: string | null | undefined];

/** Names and descriptions of the fields, arguments and values of a type. */
function partsOf(type: GraphQLNamedType): readonly Described[] {
  if (isEnumType(type)) return type.getValues().map(({ name, description }) => [name, description]);
  if (isInputObjectType(type))
    return Object.values(type.getFields()).map(({ name, description }) => [name, description]);
  if (!isObjectType(type)) return [];
  return Object.values(type.getFields()).flatMap(({ name, description, args }) => [
    [name, description] as const,
    ...args.map((argument) => [`${name}(${argument.name}:)`, argument.description] as const),
  ]);
}

const types = Object.values(schema.getTypeMap()).filter(
  (type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type),
);

it('every type, field, argument, input and enum value of the graph has a description', () => {
  const all = types.flatMap((type): readonly Described[] => [
    ...(ROOTS.has(type) ? [] : [[type.name, type.description] as const]),
    ...partsOf(type).map(([name, description]) => [`${type.name}.${name}`, description] as const),
  ]);
  expect(all.length).toBeGreaterThan(400);
  expect(all.filter(([, description]) => (description ?? '').trim() === '').map(([name]) => name)).toEqual([]);
});
