import {
  type ASTNode,
  type ASTVisitor,
  type FloatValueNode,
  getNamedType,
  GraphQLError,
  type IntValueNode,
  isScalarType,
  Kind,
  type ValidationContext,
  type ValueNode,
  ValuesOfCorrectTypeRule,
} from 'graphql';
import type { ValidationIssue } from '../../../src/errors/validation';

/** A literal that its scalar rejects. */
export class LiteralError extends GraphQLError {
  constructor(
    readonly issue: ValidationIssue,
    node: ValueNode,
  ) {
    super(`${issue.path} ${issue.message}`, { nodes: node });
  }
}

type Ancestors = readonly (ASTNode | readonly ASTNode[])[];
type Visit = (node: ValueNode) => unknown;

/** ValuesOfCorrectTypeRule, except that what a scalar rejects becomes a LiteralError with the name of its argument. */
export function literalRule(context: ValidationContext): ASTVisitor {
  let describe: ((error: GraphQLError) => GraphQLError) | undefined;
  const describing = Object.create(context, {
    reportError: { value: (error: GraphQLError) => context.reportError(describe?.(error) ?? error) },
  }) as ValidationContext;
  const visitors = Object.entries(ValuesOfCorrectTypeRule(describing)) as readonly (readonly [string, Visit])[];
  const describeAndVisit =
    (visit: Visit) =>
    (node: ValueNode, ...[, parent, , ancestors]: [unknown, Ancestors[number], unknown, Ancestors]) => {
      const isScalar = node.kind !== Kind.NULL && isScalarType(getNamedType(context.getInputType()));
      describe = isScalar
        ? ({ message }) => new LiteralError({ path: pathOf([...ancestors, parent]), message }, node)
        : undefined;
      return visit(node);
    };
  return Object.fromEntries(visitors.map(([kind, visit]) => [kind, describeAndVisit(visit)]));
}

/** `input.amount` for the field `amount` of the argument `input`. */
const pathOf = (ancestors: Ancestors): string =>
  ancestors.flatMap((node) => ('kind' in node ? nameOf(node) : [])).join('.');

function nameOf(node: ASTNode): readonly string[] {
  if (node.kind === Kind.VARIABLE_DEFINITION) return [node.variable.name.value];
  return node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD ? [node.name.value] : [];
}

/** Refuses a number outside the range of a double: JSON has no form for it, and a subgraph would receive another value. */
export function numberRule(context: ValidationContext): ASTVisitor {
  const check = (
    node: IntValueNode | FloatValueNode,
    ...[, parent, , ancestors]: [unknown, Ancestors[number] | undefined, unknown, Ancestors]
  ): void => {
    if (Number.isFinite(JSON.parse(node.value))) return;
    const path = pathOf(parent === undefined ? ancestors : [...ancestors, parent]);
    const message = 'must not be a number outside the range of a double';
    context.reportError(new LiteralError({ path, message }, node));
  };
  return { IntValue: check, FloatValue: check };
}
