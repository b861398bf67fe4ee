import {
  getNamedType,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isLeafType,
  isUnionType,
} from 'graphql';
import type { Random } from './random';

/** The variables that random operations declare. */
export interface OperationVariables {
  readonly yes: boolean;
  readonly no: boolean;
  readonly number?: number;
}

const VARIABLES = { $yes: 'Boolean!', $no: 'Boolean!', $number: 'Int' } as const;
const CONDITIONS = [
  '@include(if: $yes)',
  '@skip(if: $no)',
  '@include(if: $no)',
  '@skip(if: $yes)',
  '@skip(if: true)',
  '@include(if: true)',
];

/**
 * Generates an operation over a schema, with at most `depth` levels below the root. It may be invalid, because response keys
 * collide on purpose.
 */
export function randomOperation(random: Random, schema: GraphQLSchema, depth: number): string {
  const fragments: string[] = [];
  const queryType = schema.getQueryType();
  if (!queryType) return '{ __typename }';
  const writer = createWriter(random, schema, fragments);
  const selections = writer(queryType, depth);
  const introspection = random.chance(0.03) ? ' __type(name: "Book") { name kind }' : '';
  const body = [`{${selections}${introspection} }`, ...fragments].join('\n');
  const used = Object.entries(VARIABLES).filter(([name]) => body.includes(name));
  return `query${used.length === 0 ? '' : `(${used.map((pair) => pair.join(': ')).join(', ')})`} ${body}`;
}

type Write = (type: GraphQLCompositeType, depth: number) => string;

function createWriter(random: Random, schema: GraphQLSchema, fragments: string[]): Write {
  const write: Write = (type, depth) => {
    const count = 1 + random.below(4);
    return Array.from({ length: count }, () => selection(type, depth)).join('');
  };
  const selection = (type: GraphQLCompositeType, depth: number): string => {
    if (random.chance(0.08)) return ` ${random.chance(0.3) ? `t${random.below(2)}: ` : ''}__typename`;
    if (depth > 0 && (isUnionType(type) || random.chance(0.22))) return fragment(type, depth);
    return isUnionType(type) ? ' __typename' : field(type, depth);
  };
  const fragment = (type: GraphQLCompositeType, depth: number): string => {
    const condition = random.pick(fragmentTypes(schema, type));
    const directive = random.chance(0.15) ? ` ${random.pick(CONDITIONS)}` : '';
    const selections = write(condition, depth - 1);
    if (random.chance(0.2)) {
      const name = `F${fragments.length}`;
      fragments.push(`fragment ${name} on ${condition.name} {${selections} }`);
      return ` ...${name}${directive}`;
    }
    const on = random.chance(0.1) && condition === type ? '' : ` on ${condition.name}`;
    return ` ...${on}${directive} {${selections} }`;
  };
  const field = (type: Exclude<GraphQLCompositeType, { getTypes: unknown }>, depth: number): string => {
    const all = Object.values(type.getFields());
    const candidates = all.filter((each) => depth > 0 || isLeafType(getNamedType(each.type)));
    if (candidates.length === 0) return ' __typename';
    const chosen = random.pick(candidates);
    const named = getNamedType(chosen.type);
    const directive = random.chance(0.1) ? ` ${random.pick(CONDITIONS)}` : '';
    const below = isCompositeType(named) ? ` {${write(named, depth - 1)} }` : '';
    return ` ${alias(random, chosen, all)}${chosen.name}${givenArguments(random, chosen)}${directive}${below}`;
  };
  return write;
}

type AnyField = GraphQLField<unknown, unknown>;

/** Few names, so that they collide; sometimes the name of another field, which the planner may use internally. */
function alias(random: Random, chosen: AnyField, all: readonly AnyField[]): string {
  if (random.chance(0.25)) return `${random.pick(['x', 'y', 'z'])}${random.below(3)}${chosen.name}: `;
  if (random.chance(0.02)) return `${random.pick(all).name}: `;
  return random.chance(0.01) ? `${random.pick(['constructor', 'toString', 'then', 'toJSON', 'length'])}: ` : '';
}

function givenArguments(random: Random, { args }: AnyField): string {
  const given = args.flatMap(({ name, type }) => {
    if (name === 'id') return [`id: "${random.below(4)}"`];
    if (random.chance(0.5)) return [];
    return [
      `${name}: ${String(getNamedType(type)) === 'String' ? random.pick(['"e"', '"kg"', '"\\"ü"']) : random.pick(['1', '2', '$number'])}`,
    ];
  });
  return given.length === 0 ? '' : `(${given.join(', ')})`;
}

function fragmentTypes(schema: GraphQLSchema, type: GraphQLCompositeType): readonly GraphQLCompositeType[] {
  if (!isAbstractType(type)) return [type, ...type.getInterfaces()];
  const possible = schema.getPossibleTypes(type);
  const overlaps = (other: GraphQLNamedType): boolean =>
    isInterfaceType(other) && schema.getPossibleTypes(other).some((each) => possible.includes(each));
  const interfaces = Object.values(schema.getTypeMap()).filter(overlaps) as GraphQLCompositeType[];
  return isInterfaceType(type) ? [...possible, type, ...interfaces] : [...possible, ...interfaces];
}
