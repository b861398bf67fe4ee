import {
  type ConstDirectiveNode,
  type ConstValueNode,
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
  valueFromASTUntyped,
} from 'graphql';

/** The size of a list, or of the lists one level below a field. */
export interface ListSize {
  /** Arguments with the number of items. */
  readonly slicingArguments: readonly string[];
  /** Number of items without such an argument. */
  readonly assumedSize: number;
  /** Fields of the returned object that are the lists. Empty when the field itself is the list. */
  readonly sizedFields: readonly string[];
}

/** Costs that the subgraphs declare. */
export interface SchemaCosts {
  weightOfType(typeName: string): number | undefined;
  weightOfField(typeName: string, fieldName: string): number | undefined;
  listSizeOf(typeName: string, fieldName: string): ListSize | undefined;
}

/** Number of items of a list without `@listSize`. */
export const DEFAULT_LIST_SIZE = 5;

/**
 * Reads `@cost` and `@listSize` of a supergraph. The public schema lacks them.
 *
 * @see https://ibm.github.io/graphql-specs/cost-spec.html
 */
export function readSchemaCosts(supergraph: DocumentNode): SchemaCosts {
  const types = new Map<string, number>();
  const fields = new Map<string, number>();
  const sizes = new Map<string, ListSize>();
  const readField = (typeName: string, field: FieldDefinitionNode): void => {
    const coordinate = `${typeName}.${field.name.value}`;
    const weight = weightIn(field.directives);
    if (weight !== undefined) fields.set(coordinate, weight);
    const size = field.directives?.find(({ name }) => name.value === 'listSize');
    if (size !== undefined) sizes.set(coordinate, readListSize(size));
  };
  for (const definition of supergraph.definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue;
    const weight = weightIn(definition.directives);
    if (weight !== undefined) types.set(definition.name.value, weight);
    for (const field of definition.fields ?? []) readField(definition.name.value, field);
  }
  return {
    weightOfType: (typeName) => types.get(typeName),
    weightOfField: (typeName, fieldName) => fields.get(`${typeName}.${fieldName}`),
    listSizeOf: (typeName, fieldName) => sizes.get(`${typeName}.${fieldName}`),
  };
}

function weightIn(directives: readonly ConstDirectiveNode[] = []): number | undefined {
  const cost = directives.find(({ name }) => name.value === 'cost');
  const weight = cost === undefined ? undefined : valueOf(cost, 'weight');
  return typeof weight === 'number' ? weight : undefined;
}

function readListSize(directive: ConstDirectiveNode): ListSize {
  const assumedSize = valueOf(directive, 'assumedSize');
  return {
    slicingArguments: namesIn(valueOf(directive, 'slicingArguments')),
    assumedSize: typeof assumedSize === 'number' ? assumedSize : DEFAULT_LIST_SIZE,
    sizedFields: namesIn(valueOf(directive, 'sizedFields')),
  };
}

function valueOf(directive: ConstDirectiveNode, argument: string): unknown {
  const value: ConstValueNode | undefined = directive.arguments?.find(({ name }) => name.value === argument)?.value;
  return value === undefined ? undefined : valueFromASTUntyped(value);
}

const namesIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : [];
