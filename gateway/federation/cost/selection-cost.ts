import {
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  getNullableType,
  type GraphQLNamedType,
  type GraphQLSchema,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { type CostExpression, product, sum } from './cost-expression';
import type { RequestValues } from './request-values';
import { DEFAULT_LIST_SIZE, type ListSize, type SchemaCosts } from './schema-costs';

/**
 * Maximum number of items of a list that an argument is taken for: a resolver refuses a larger page, so that its error
 * reports the argument rather than the cost.
 */
const MAX_PAGE_SIZE = 1000;

/** The cost of a selection set. The lists in it are separate, because an argument of the parent may have their size. */
interface SelectionCost {
  readonly fixed: CostExpression;
  /** By name of the field. */
  readonly lists: ReadonlyMap<string, { readonly perItem: CostExpression; readonly assumed: CostExpression }>;
}

const NO_COST: SelectionCost = { fixed: 0, lists: new Map() };

export interface CostSource {
  readonly schema: GraphQLSchema;
  readonly costs: SchemaCosts;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly values: RequestValues;
}

/** Computes the cost of a field of a type, with everything selected below it. */
export type FieldCost = (field: FieldNode, parent: GraphQLNamedType) => CostExpression;

/**
 * An object costs the weight of its type, 1 by default, or of its field; a scalar costs nothing. A list multiplies what is
 * selected below it by its size. Each fragment is computed once: the time is linear in the document. Selections of
 * several possible types are added.
 */
export function createFieldCost(source: CostSource): FieldCost {
  const { schema, costs, fragments, values } = source;
  const known = new Map<string, SelectionCost>();
  const ofFragment = (name: string): SelectionCost => {
    const cached = known.get(name);
    if (cached !== undefined) return cached;
    known.set(name, NO_COST); // of a cycle, which validation rejects
    const fragment = fragments.get(name);
    const type = fragment === undefined ? undefined : schema.getType(fragment.typeCondition.name.value);
    const cost = fragment === undefined || type === undefined ? NO_COST : ofSet(fragment.selectionSet, type);
    known.set(name, cost);
    return cost;
  };
  const ofSelection = (selection: SelectionNode, parent: GraphQLNamedType): SelectionCost => {
    const condition = values.isIncluded(selection);
    if (selection.kind === Kind.FIELD) return scaled(ofField(selection, parent), condition);
    if (selection.kind === Kind.FRAGMENT_SPREAD) return scaled(ofFragment(selection.name.value), condition);
    const name = selection.typeCondition?.name.value;
    const type = name === undefined ? parent : (schema.getType(name) ?? parent);
    return scaled(ofSet(selection.selectionSet, type), condition);
  };
  const ofSet = (set: SelectionSetNode, parent: GraphQLNamedType): SelectionCost =>
    added(set.selections.map((selection) => ofSelection(selection, parent)));
  const ofField = (node: FieldNode, parent: GraphQLNamedType): SelectionCost => {
    const name = node.name.value;
    const field = fieldOf(parent, name);
    if (field === undefined) return NO_COST;
    const type = getNamedType(field.type);
    const listSize = costs.listSizeOf(parent.name, name);
    const size = listSize === undefined ? undefined : sizeOf(listSize, node, values);
    const below = node.selectionSet === undefined ? NO_COST : ofSet(node.selectionSet, type);
    const weight = costs.weightOfField(parent.name, name) ?? weightOf(type, costs);
    const perItem = sum([weight, totalOf(below, listSize?.sizedFields ?? [], size)]);
    if (!isListType(getNullableType(field.type))) return { fixed: perItem, lists: new Map() };
    const assumed = product(size ?? DEFAULT_LIST_SIZE, perItem);
    return { fixed: 0, lists: new Map([[name, { perItem, assumed }]]) };
  };
  return (field, parent) => totalOf(ofField(field, parent), [], undefined);
}

const fieldOf = (type: GraphQLNamedType, name: string) =>
  isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;

const weightOf = (type: GraphQLNamedType, costs: SchemaCosts): number =>
  costs.weightOfType(type.name) ?? (isCompositeType(type) ? 1 : 0);

/** The largest of the given arguments, or the assumed size. */
function sizeOf({ slicingArguments, assumedSize }: ListSize, node: FieldNode, values: RequestValues): CostExpression {
  const given = slicingArguments.flatMap((name) => {
    const argument = node.arguments?.find((each) => each.name.value === name);
    return argument === undefined ? [] : [values.integer(argument.value, assumedSize)];
  });
  if (given.length === 0) return assumedSize;
  const largest = (sizes: readonly number[]): number => Math.min(Math.max(...sizes, 0), MAX_PAGE_SIZE);
  const constants = given.filter((size) => typeof size === 'number');
  if (constants.length === given.length) return largest(constants);
  return (variables) => largest(given.map((size) => (typeof size === 'number' ? size : size(variables))));
}

function totalOf(
  { fixed, lists }: SelectionCost,
  sizedFields: readonly string[],
  size?: CostExpression,
): CostExpression {
  const ofLists = [...lists].map(([name, { perItem, assumed }]) =>
    size !== undefined && sizedFields.includes(name) ? product(size, perItem) : assumed,
  );
  return sum([fixed, ...ofLists]);
}

function added(costs: readonly SelectionCost[]): SelectionCost {
  const lists = new Map<string, { readonly perItem: CostExpression; readonly assumed: CostExpression }>();
  for (const cost of costs) {
    for (const [name, list] of cost.lists) {
      const other = lists.get(name);
      const both = other === undefined ? [list] : [other, list];
      lists.set(name, {
        perItem: sum(both.map(({ perItem }) => perItem)),
        assumed: sum(both.map(({ assumed }) => assumed)),
      });
    }
  }
  return { fixed: sum(costs.map(({ fixed }) => fixed)), lists };
}

function scaled({ fixed, lists }: SelectionCost, factor: CostExpression): SelectionCost {
  if (factor === 1) return { fixed, lists };
  return {
    fixed: product(factor, fixed),
    lists: new Map(
      [...lists].map(([name, { perItem, assumed }]) => [
        name,
        { perItem: product(factor, perItem), assumed: product(factor, assumed) },
      ]),
    ),
  };
}
