import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf } from '../document/document-parts';
import { type CostExpression, evaluate, product } from './cost-expression';
import { createRequestValues, type RequestValues } from './request-values';

/** A field of the root type that an operation selects, also through fragments. */
export interface RootField {
  readonly node: FieldNode;
  /** 1 when the conditions of the field and of its fragments hold, else 0. */
  readonly included: CostExpression;
}

export interface RootSource {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly values: RequestValues;
}

/** The fields of a selection, those of its fragments as well. */
export function rootFields(
  set: SelectionSetNode,
  source: RootSource,
  included: CostExpression = 1,
): readonly RootField[] {
  return set.selections.flatMap((selection) => {
    const both = product(included, source.values.isIncluded(selection));
    if (selection.kind === Kind.FIELD) return [{ node: selection, included: both }];
    const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : source.fragments.get(selection.name.value);
    return fragment === undefined ? [] : rootFields(fragment.selectionSet, source, both);
  });
}

const ROOT_TYPES = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' } as const;

/** Returns the root fields that an operation executes with given variables, such as `Query.actions`, once for each alias. */
export type ListRootFields = (variables: Readonly<Record<string, unknown>>) => readonly string[];

export function compileRootFields(document: DocumentNode, operation: OperationDefinitionNode): ListRootFields {
  const source = { fragments: fragmentsOf(document), values: createRequestValues(operation) };
  const typeName = ROOT_TYPES[operation.operation];
  const fields = rootFields(operation.selectionSet, source).map(({ node, included }) => ({
    name: `${typeName}.${node.name.value}`,
    included,
  }));
  return (variables) => fields.filter(({ included }) => evaluate(included, variables) > 0).map(({ name }) => name);
}
