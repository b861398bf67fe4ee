import { Kind, type OperationDefinitionNode, type SelectionNode, type ValueNode } from 'graphql';
import { expectedCondition } from '../document/operation-tree';
import { type CostExpression, product } from './cost-expression';

/** Values that a request gives in its document or its variables, before they are checked. */
export interface RequestValues {
  /** A whole number; `otherwise` when there is none. */
  integer(node: ValueNode, otherwise: number): CostExpression;
  /** 1 when `@skip` and `@include` keep the selection, else 0. */
  isIncluded(selection: SelectionNode): CostExpression;
}

export function createRequestValues({ variableDefinitions = [] }: OperationDefinitionNode): RequestValues {
  const defaults = new Map(
    variableDefinitions.map(({ variable, defaultValue }) => [variable.name.value, defaultValue]),
  );
  const read = <Value>(node: ValueNode, { literal, given }: Reading<Value>): Value | ((variables: Values) => Value) => {
    if (node.kind !== Kind.VARIABLE) return literal(node);
    const name = node.name.value;
    const otherwise = literal(defaults.get(name));
    return (variables) => (Object.hasOwn(variables, name) ? given(variables[name]) : otherwise);
  };
  return {
    integer: (node, otherwise) =>
      read(node, {
        literal: (value) => (value?.kind === Kind.INT ? Number.parseInt(value.value, 10) : otherwise),
        given: (value) => (typeof value === 'number' && Number.isFinite(value) ? value : otherwise),
      }),
    isIncluded({ directives = [] }) {
      return directives.reduce<CostExpression>((included, directive) => {
        const expected = expectedCondition(directive);
        const condition = directive.arguments?.[0]?.value;
        if (expected === undefined || condition === undefined) return included;
        const toFactor = (value: boolean): number => (value === expected ? 1 : 0);
        const factor = read(condition, {
          literal: (value) => toFactor(value?.kind === Kind.BOOLEAN && value.value),
          given: (value) => toFactor(value === true),
        });
        return product(included, factor);
      }, 1);
    },
  };
}

type Values = Readonly<Record<string, unknown>>;

interface Reading<Value> {
  readonly literal: (node: ValueNode | undefined) => Value;
  readonly given: (value: unknown) => Value;
}
