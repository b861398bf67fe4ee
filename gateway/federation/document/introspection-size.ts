import {
  type FieldNode,
  type FragmentDefinitionNode,
  getArgumentValues,
  getNamedType,
  getVariableValues,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isListType,
  getNullableType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import { serviceError } from '../../../src/errors/service-error';

/**
 * Maximum number of values in a response to introspection, about three times those of the query that GraphiQL sends.
 * Aliased lists in lists multiply: a document of 2 kB can select a hundred million values.
 */
export const MAX_INTROSPECTED_VALUES = 60_000;

/** The `__schema` and `__type` fields of an operation, with what they refer to. */
export interface IntrospectionSource {
  readonly operation: OperationDefinitionNode;
  readonly fields: readonly FieldNode[];
  readonly fragments: readonly FragmentDefinitionNode[];
  /** As the request gives them: defaults of the operation are applied. */
  readonly variables: Readonly<Record<string, unknown>>;
}

interface Walk {
  readonly info: GraphQLResolveInfo;
  readonly variables: IntrospectionSource['variables'];
  readonly selectionsOf: (selection: Exclude<SelectionNode, FieldNode>) => SelectionSetNode | undefined;
  readonly add: (values: number) => void;
}

/**
 * Counts the values that introspection selects, by walking the schema as the execution would. An upper bound: repeated
 * fields and fragments count each time, and conditions are ignored. The time is limited by the maximum, whatever the
 * document multiplies to.
 *
 * @throws DOCUMENT_LIMIT_EXCEEDED above `MAX_INTROSPECTED_VALUES`.
 */
export function countIntrospectedValues(schema: GraphQLSchema, source: IntrospectionSource): number {
  const fragments = new Map(source.fragments.map(({ name, selectionSet }) => [name.value, selectionSet]));
  let count = 0;
  const walk: Walk = {
    info: { schema } as GraphQLResolveInfo, // introspection reads nothing else
    variables: valuesOf(schema, source),
    selectionsOf: (selection) =>
      selection.kind === Kind.INLINE_FRAGMENT ? selection.selectionSet : fragments.get(selection.name.value),
    add(values) {
      count += values;
      if (count <= MAX_INTROSPECTED_VALUES) return;
      const counted = 'introspected values';
      throw serviceError('DOCUMENT_LIMIT_EXCEEDED', { maximum: MAX_INTROSPECTED_VALUES, counted });
    },
  };
  for (const field of source.fields) {
    walkField(walk, field, { definition: field.name.value === '__type' ? TypeMetaFieldDef : SchemaMetaFieldDef });
  }
  return count;
}

/** The values that the execution uses. It refuses invalid ones, and then selects nothing. */
function valuesOf(
  schema: GraphQLSchema,
  { operation: { variableDefinitions = [] }, variables }: IntrospectionSource,
): IntrospectionSource['variables'] {
  return variableDefinitions.length === 0
    ? {}
    : (getVariableValues(schema, variableDefinitions, variables).coerced ?? {});
}

interface FieldOfParent {
  readonly definition: GraphQLField<unknown, unknown>;
  readonly parent?: unknown;
}

function walkField(walk: Walk, node: FieldNode, { definition, parent }: FieldOfParent): void {
  walk.add(1);
  const type = getNamedType(definition.type);
  if (!isListType(getNullableType(definition.type)) && !isObjectType(type)) return;
  const value: unknown = definition.resolve?.(parent, argumentsOf(walk, node, definition), undefined, walk.info);
  const items = (Array.isArray(value) ? value : [value]) as readonly unknown[];
  walk.add(items.length);
  if (node.selectionSet === undefined || !isObjectType(type)) return;
  const fields = type.getFields();
  for (const item of items) {
    if (item !== undefined && item !== null) walkSelections(walk, node.selectionSet, { fields, parent: item });
  }
}

interface FieldsOfParent {
  readonly fields: Readonly<Record<string, GraphQLField<unknown, unknown>>>;
  readonly parent: unknown;
}

function walkSelections(walk: Walk, { selections }: SelectionSetNode, { fields, parent }: FieldsOfParent): void {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      const definition = fields[selection.name.value];
      if (definition === undefined) walk.add(1);
      else walkField(walk, selection, { definition, parent });
      continue;
    }
    walk.add(1); // a chain of fragments takes time as well
    const inner = walk.selectionsOf(selection);
    if (inner !== undefined) walkSelections(walk, inner, { fields, parent });
  }
}

/** No arguments when a variable is missing, which the execution reports. */
function argumentsOf({ variables }: Walk, node: FieldNode, definition: GraphQLField<unknown, unknown>) {
  try {
    return getArgumentValues(definition, node, variables);
  } catch {
    return {};
  }
}
