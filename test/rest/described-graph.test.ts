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

type Shown = readonly [name: string, description: string | null | undefined];

/** What an explorer of the graph shows below a type. */
function partsOf(type: GraphQLNamedType): readonly Shown[] {
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

it('everything in the graph says what it is: types, fields, arguments, inputs and values', () => {
  const all = types.flatMap((type): readonly Shown[] => [
    ...(ROOTS.has(type) ? [] : [[type.name, type.description] as const]),
    ...partsOf(type).map(([name, description]) => [`${type.name}.${name}`, description] as const),
  ]);
  expect(all.length).toBeGreaterThan(400);
  expect(all.filter(([, description]) => (description ?? '').trim() === '').map(([name]) => name)).toEqual([]);
});
