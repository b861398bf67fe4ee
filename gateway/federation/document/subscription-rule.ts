import {
  type ASTVisitor,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
  SingleFieldSubscriptionsRule,
  type ValidationContext,
} from 'graphql';
import { expectedCondition } from './operation-tree';

/**
 * SingleFieldSubscriptionsRule, which also refuses `@skip` and `@include` at the root of a subscription: they could remove its
 * only field. The rule of graphql-js evaluates these conditions itself, and throws when one is a variable.
 *
 * @see https://spec.graphql.org/September2025/#sec-Single-Root-Field
 */
export function subscriptionRule(context: ValidationContext): ASTVisitor {
  const { OperationDefinition: checkSingleField } = SingleFieldSubscriptionsRule(context) as {
    readonly OperationDefinition: (operation: OperationDefinitionNode) => void;
  };
  return {
    OperationDefinition(operation: OperationDefinitionNode) {
      if (operation.operation !== OperationTypeNode.SUBSCRIPTION) return;
      const conditional = conditionalSelections(context, operation.selectionSet);
      if (conditional.length === 0) checkSingleField(operation);
      else context.reportError(new GraphQLError(CONDITIONAL_ROOT, { nodes: conditional }));
    },
  };
}

const CONDITIONAL_ROOT = 'The root field of a subscription must not depend on @skip or @include.';

function conditionalSelections(
  context: ValidationContext,
  { selections }: SelectionSetNode,
  visited = new Set<string>(),
): readonly SelectionNode[] {
  return selections.flatMap((selection) => {
    if (isConditional(selection)) return [selection];
    if (selection.kind === Kind.FIELD) return [];
    if (selection.kind === Kind.INLINE_FRAGMENT) return conditionalSelections(context, selection.selectionSet, visited);
    const name = selection.name.value;
    const fragment = visited.has(name) ? undefined : context.getFragment(name);
    visited.add(name);
    return fragment ? conditionalSelections(context, fragment.selectionSet, visited) : [];
  });
}

const isConditional = ({ directives = [] }: SelectionNode): boolean =>
  directives.some((directive) => expectedCondition(directive) !== undefined);
