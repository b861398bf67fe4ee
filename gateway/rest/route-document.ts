import { buildOperationNodeForField } from '@graphql-tools/utils';
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { createSofa } from 'sofa-api';
import { InvariantError } from '../../src/errors/invariant-error';
import { conditionVariable, sectionFields } from './route-sections';
import type { RestRoute, RouteSection } from './route-table';

/**
 * The GraphQL document of a route, as Sofa generates it, with an `@include` on each conditional section, and without the fields
 * that the route omits.
 *
 * Sofa's router keeps its documents private, so this calls the same document builder with the models, exclusions and depth
 * that `createSofa` derives from the schema. A test holds that the documents are those that Sofa's router executes.
 */
export function routeDocument(view: GraphQLSchema, route: RestRoute): DocumentNode {
  const { models, ignore, depthLimit } = createSofa({ basePath: '', schema: view });
  const operation = buildOperationNodeForField({
    schema: view,
    kind: route.operation.startsWith('Query.') ? OperationTypeNode.QUERY : OperationTypeNode.MUTATION,
    field: rootName(route),
    models,
    ignore,
    circularReferenceDepth: depthLimit,
  });
  assertSectionsOccurOnce(view, route, operation);
  return { kind: Kind.DOCUMENT, definitions: [withoutOmitted(withConditions(operation, route), route)] };
}

function withoutOmitted(operation: OperationDefinitionNode, route: RestRoute): OperationDefinitionNode {
  const selectionSet = (route.omits ?? []).reduce((selected, path) => {
    const left = without(selected, [rootName(route), ...path.split('.')]);
    if (left === undefined) throw new InvariantError(`${route.operation} cannot omit ${path}: it has no such field`);
    return left;
  }, operation.selectionSet);
  return { ...operation, selectionSet };
}

/** The selections without the field at this path; `undefined` when they have none. */
function without(
  { selections, ...selectionSet }: SelectionSetNode,
  [name, ...rest]: readonly string[],
): SelectionSetNode | undefined {
  const field = selections.find((each) => each.kind === Kind.FIELD && each.name.value === name);
  if (field?.kind !== Kind.FIELD) return undefined;
  const others = selections.filter((each) => each !== field);
  if (rest.length === 0) return others.length === 0 ? undefined : { ...selectionSet, selections: others };
  const below = field.selectionSet && without(field.selectionSet, rest);
  if (below === undefined) return undefined;
  const replaced = { ...field, selectionSet: below };
  return { ...selectionSet, selections: selections.map((each) => (each === field ? replaced : each)) };
}

/** A field that occurs at a second path would be resolved there whether or not the request includes its section. */
function assertSectionsOccurOnce(view: GraphQLSchema, route: RestRoute, operation: OperationDefinitionNode): void {
  const sections = sectionFields(view, route);
  const occurrences = new Map<string, number>();
  const types = new TypeInfo(view);
  const count = (): void => {
    const [parent, field] = [types.getParentType(), types.getFieldDef()];
    const key = `${parent?.name ?? ''}.${field?.name ?? ''}`;
    occurrences.set(key, (occurrences.get(key) ?? 0) + 1);
  };
  visit(operation, visitWithTypeInfo(types, { Field: count }));
  for (const { section, typeName, field } of sections) {
    const key = `${typeName}.${field.name}`;
    const declared = sections.filter((other) => `${other.typeName}.${other.field.name}` === key).length;
    if (occurrences.get(key) !== declared) {
      throw new InvariantError(`${route.operation}: the section ${section.field} also occurs at an undeclared path`);
    }
  }
}

/** Returns the variable that the document of a route uses for an argument of a section. */
export function argumentVariable(
  { definitions: [operation] }: DocumentNode,
  route: RestRoute,
  { section, argument }: { readonly section: RouteSection; readonly argument: string },
): string {
  const root = operation?.kind === Kind.OPERATION_DEFINITION ? operation.selectionSet : undefined;
  const field = fieldAt(root, [rootName(route), ...section.field.split('.')]);
  const value = field?.arguments?.find(({ name }) => name.value === argument)?.value;
  if (value?.kind === Kind.VARIABLE) return value.name.value;
  throw new InvariantError(`the document of ${route.operation} has no variable for ${section.field}.${argument}`);
}

function fieldAt(
  selectionSet: SelectionSetNode | undefined,
  [name, ...rest]: readonly string[],
): FieldNode | undefined {
  const fields = selectionSet?.selections.filter((selection) => selection.kind === Kind.FIELD);
  const field = fields?.find((each) => each.name.value === name);
  return rest.length === 0 ? field : fieldAt(field?.selectionSet, rest);
}

const rootName = ({ operation }: RestRoute): string => operation.slice(operation.indexOf('.') + 1);

function withConditions(operation: OperationDefinitionNode, route: RestRoute): OperationDefinitionNode {
  const conditional = (route.sections ?? []).filter(({ condition }) => condition !== undefined);
  if (conditional.length === 0) return operation;
  const variables = conditional.map((section) => conditionVariable(section));
  return {
    ...operation,
    variableDefinitions: [
      ...(operation.variableDefinitions ?? []),
      ...variables.map((name) => ({
        kind: Kind.VARIABLE_DEFINITION as const,
        variable: variableNode(name),
        type: {
          kind: Kind.NON_NULL_TYPE as const,
          type: { kind: Kind.NAMED_TYPE as const, name: nameNode('Boolean') },
        },
      })),
    ],
    selectionSet: conditional.reduce(
      (selectionSet, section) =>
        withInclude(selectionSet, [rootName(route), ...section.field.split('.')], conditionVariable(section)),
      operation.selectionSet,
    ),
  };
}

/** Adds `@include` to the field at this path. */
function withInclude(
  selectionSet: SelectionSetNode,
  [name, ...rest]: readonly string[],
  variable: string,
): SelectionSetNode {
  const selections = selectionSet.selections.map((selection): SelectionSetNode['selections'][number] => {
    if (selection.kind !== Kind.FIELD || selection.name.value !== name) return selection;
    if (rest.length === 0) return { ...selection, directives: [includeDirective(variable)] };
    if (selection.selectionSet === undefined) return selection;
    return { ...selection, selectionSet: withInclude(selection.selectionSet, rest, variable) };
  });
  return { ...selectionSet, selections };
}

const includeDirective = (variable: string): NonNullable<FieldNode['directives']>[number] => ({
  kind: Kind.DIRECTIVE,
  name: nameNode('include'),
  arguments: [{ kind: Kind.ARGUMENT, name: nameNode('if'), value: variableNode(variable) }],
});

const nameNode = (value: string) => ({ kind: Kind.NAME, value }) as const;
const variableNode = (name: string) => ({ kind: Kind.VARIABLE, name: nameNode(name) }) as const;
