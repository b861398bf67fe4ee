import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { InvariantError } from '../../../src/errors/invariant-error';
import { validationError } from '../../../src/errors/validation';
import type { SupergraphFacts } from '../supergraph-facts';
import { createDataKeys, type DataKeyOf } from './data-keys';

/** A field of the operation. */
export interface FieldSelection {
  readonly kind: 'field';
  readonly name: string;
  /** Key in the response to the caller. */
  readonly responseKey: string;
  /** Key of the field in the plan and in the data. */
  readonly dataKey: string;
  readonly node: FieldNode;
  /** Absent for leaves. */
  readonly selections: Selections | undefined;
}

/** Selections that apply to objects of some type. */
export interface TypeSelection {
  readonly kind: 'type';
  readonly typeCondition: string | undefined;
  readonly selections: Selections;
}

export type Selections = readonly (FieldSelection | TypeSelection)[];

/**
 * An operation with resolved conditions and expanded fragments. A fragment that is spread several times is one object, so
 * that values derived from selections can be cached by identity.
 */
export interface OperationTree {
  readonly operation: OperationDefinitionNode;
  readonly fragments: readonly FragmentDefinitionNode[];
  readonly selections: Selections;
}

export interface OperationSource {
  /** Validated. */
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** Coerced. Only the variables of conditions are read. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Resolves `@skip` and `@include`, because the planner drops variable conditions or rejects valid operations with them.
 *
 * @throws VALIDATION_ERROR for a condition whose variable is null: a variable with a default value may be, its directive not.
 */
export function resolveOperation(
  { document, operation, variables }: OperationSource,
  facts: SupergraphFacts,
): OperationTree {
  const fragments = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  const resolve = compileResolve({ fragments, variables, dataKeyOf: createDataKeys(document, facts) });
  return { operation, fragments, selections: resolve(operation.selectionSet) };
}

interface ResolveSource {
  readonly fragments: readonly FragmentDefinitionNode[];
  readonly variables: Readonly<Record<string, unknown>>;
  readonly dataKeyOf: DataKeyOf;
}

function compileResolve({ fragments, variables, dataKeyOf }: ResolveSource): (set: SelectionSetNode) => Selections {
  const byName = new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
  const resolved = new Map<string, TypeSelection>();
  const resolveSpread = (name: string): TypeSelection => {
    const known = resolved.get(name);
    if (known !== undefined) return known;
    const fragment = byName.get(name);
    if (fragment === undefined) throw new InvariantError(`the document spreads the unknown fragment ${name}`);
    const selection = typeSelection(fragment.typeCondition.name.value, resolve(fragment.selectionSet));
    resolved.set(name, selection);
    return selection;
  };
  const resolveSelection = (selection: SelectionNode): FieldSelection | TypeSelection => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return resolveSpread(selection.name.value);
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      return typeSelection(selection.typeCondition?.name.value, resolve(selection.selectionSet));
    }
    return {
      kind: 'field',
      name: selection.name.value,
      responseKey: (selection.alias ?? selection.name).value,
      dataKey: dataKeyOf(selection),
      node: selection,
      selections: selection.selectionSet === undefined ? undefined : resolve(selection.selectionSet),
    };
  };
  const resolve = (set: SelectionSetNode): Selections =>
    set.selections.filter((selection) => isIncluded(selection, variables)).map(resolveSelection);
  return resolve;
}

const typeSelection = (typeCondition: string | undefined, selections: Selections): TypeSelection => ({
  kind: 'type',
  typeCondition,
  selections,
});

function isIncluded({ directives = [] }: SelectionNode, variables: Readonly<Record<string, unknown>>): boolean {
  return directives.every((directive) => {
    const expected = expectedCondition(directive);
    return expected === undefined || conditionOf(directive, variables) === expected;
  });
}

/** Value of a condition that keeps the selection; `undefined` when the directive is not a condition. */
export function expectedCondition({ name }: DirectiveNode): boolean | undefined {
  if (name.value === 'include') return true;
  return name.value === 'skip' ? false : undefined;
}

function conditionOf(directive: DirectiveNode, variables: Readonly<Record<string, unknown>>): boolean {
  const value = directive.arguments?.[0]?.value;
  if (value?.kind !== Kind.VARIABLE) return value?.kind === Kind.BOOLEAN && value.value;
  const name = value.name.value;
  const condition = variables[name];
  if (typeof condition === 'boolean') return condition;
  throw validationError([{ path: name, message: `must be true or false: @${directive.name.value} requires it` }]);
}
