import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { RequestSource } from './rest-requests';

const MAX_DEPTH = 5;

/** The text of a random document: valid operations, and such whose text was changed. */
export function randomDocument(schema: GraphQLSchema, source: RequestSource): string {
  const { random } = source;
  const kind = random.chance(0.2) ? 'mutation' : 'query';
  const type = kind === 'mutation' ? schema.getMutationType() : schema.getQueryType();
  if (type === null || type === undefined) throw new TypeError(`the schema has no ${kind}`);
  const roots = Array.from({ length: random.chance(0.8) ? 1 : 1 + random.below(4) }, (_, index) =>
    field(random.pick(Object.values(type.getFields())), { schema, source, depth: 0, alias: `r${String(index)}` }),
  );
  const text = `${kind} Random { ${roots.join(' ')} }`;
  return random.chance(0.3) ? changed(text, source) : text;
}

interface Place {
  readonly schema: GraphQLSchema;
  readonly source: RequestSource;
  readonly depth: number;
  readonly alias?: string;
}

function field({ name, args, type }: GraphQLField<unknown, unknown>, place: Place): string {
  const { source, alias } = place;
  const given = args
    .filter((argument) => source.random.chance(isNonNullType(argument.type) ? 0.95 : 0.3))
    .map((argument) => `${argument.name}: ${literal(argument.type, { name: argument.name, source, depth: 0 })}`);
  const own = `${alias === undefined ? '' : `${alias}: `}${name}${given.length === 0 ? '' : `(${given.join(', ')})`}`;
  const directive = source.random.chance(0.02)
    ? source.random.pick([' @skip(if: true)', ' @include(if: 1)', ' @x'])
    : '';
  return `${own}${directive}${selection(type, place)}`;
}

function selection(type: GraphQLOutputType, place: Place): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  const { schema, source, depth } = place;
  const next = { schema, source, depth: depth + 1 };
  if (isAbstractType(named))
    return ` { __typename ${schema
      .getPossibleTypes(named)
      .map((possible) => `... on ${possible.name}${fieldsOf(possible, next)}`)
      .join(' ')} }`;
  return isObjectType(named) ? fieldsOf(named, next) : '';
}

function fieldsOf(type: GraphQLObjectType, place: Place): string {
  const { random } = place.source;
  const fields = Object.values(type.getFields()).filter((each) => {
    if (isLeafType(getNamedType(each.type))) return random.chance(0.6);
    return place.depth < MAX_DEPTH && random.chance(0.2);
  });
  return ` { __typename ${fields.map((each) => field(each, place)).join(' ')} }`;
}

interface InputPlace {
  readonly name: GraphQLArgument['name'];
  readonly source: RequestSource;
  /** Bounds input objects that contain themselves. */
  readonly depth: number;
}

/** A literal for an argument or an input field. */
function literal(type: GraphQLInputType, { name, source, depth }: InputPlace): string {
  const { random, values } = source;
  const nullable = getNullableType(type);
  if (random.chance(0.03)) return random.pick(['null', '{}', '[]', '$missing', 'UNKNOWN', '1e400', '""""""']);
  if (isListType(nullable)) {
    const item = nullable.ofType;
    return `[${Array.from({ length: random.below(3) }, () => literal(item, { name, source, depth: depth + 1 })).join(', ')}]`;
  }
  if (isEnumType(nullable)) return random.pick(nullable.getValues()).name;
  if (!isInputObjectType(nullable)) return scalar(values.next(name));
  const fields = Object.values(nullable.getFields()).filter(
    (each) => depth < MAX_DEPTH && random.chance(isNonNullType(each.type) ? 0.95 : 0.3),
  );
  return `{${fields.map((each) => `${each.name}: ${literal(each.type, { name: each.name, source, depth: depth + 1 })}`).join(', ')}}`;
}

const scalar = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(JSON.stringify(value)) : JSON.stringify(value);

/** The text with a part removed, repeated or replaced. */
function changed(text: string, { random }: RequestSource): string {
  const [from, length] = [random.below(text.length), 1 + random.below(20)];
  const part = text.slice(from, from + length);
  const replaced = random.pick(['', part + part, '{', '}', '"', '...F', '@defer', '\u0000', '#', '{{{{', '$a', '😀']);
  return text.slice(0, from) + replaced + text.slice(from + length);
}
