import { type ArgumentNode, OperationTypeNode, valueFromASTUntyped } from 'graphql';
import type { FieldSelection, OperationTree, Selections } from '../document/operation-tree';

/** A field with the values of its arguments. */
export interface RequestedField {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** A root field whose result may be kept while its version stays the same. */
export interface KeptField {
  /** Name of the field of the query type. */
  readonly name: string;
  /** Fields of its type whose results may be kept. */
  readonly fields: ReadonlySet<string>;
}

/** An operation whose result may be kept. */
export interface KeptSelection {
  /** Distinguishes compiled operations. */
  readonly id: number;
  /** Data key of the root field. */
  readonly responseKey: string;
  requested(variables: Readonly<Record<string, unknown>>): {
    readonly root: RequestedField;
    /** Fields below the root field, as often as they are selected. */
    readonly fields: readonly RequestedField[];
  };
}

let compiled = 0;

/** `undefined` for an operation that selects anything besides the root field and the fields below it that may be kept. */
export function keptSelection(
  { operation, selections }: OperationTree,
  kept: KeptField | undefined,
): KeptSelection | undefined {
  const [root, ...others] = fieldsIn(selections);
  if (
    kept === undefined ||
    operation.operation !== OperationTypeNode.QUERY ||
    root?.name !== kept.name ||
    others.length > 0
  ) {
    return undefined;
  }
  const below = fieldsIn(root.selections ?? []);
  if (!below.every(({ name }) => name === '__typename' || kept.fields.has(name))) return undefined;
  compiled += 1;
  return {
    id: compiled,
    responseKey: root.responseKey,
    requested: (variables) => ({
      root: requestedField(root, variables),
      fields: below.map((field) => requestedField(field, variables)),
    }),
  };
}

/** The fields of a selection, those of fragments as well. */
const fieldsIn = (selections: Selections): readonly FieldSelection[] =>
  selections.flatMap((each) => (each.kind === 'field' ? [each] : fieldsIn(each.selections)));

const requestedField = (
  { name, node: { arguments: given = [] } }: FieldSelection,
  variables: Readonly<Record<string, unknown>>,
): RequestedField => ({
  name,
  arguments: Object.fromEntries(given.map((argument) => [argument.name.value, valueOf(argument, variables)])),
});

const valueOf = ({ value }: ArgumentNode, variables: Readonly<Record<string, unknown>>): unknown =>
  valueFromASTUntyped(value, variables);
