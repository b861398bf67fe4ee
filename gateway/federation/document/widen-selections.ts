import {
  getNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLInterfaceType,
  isInterfaceType,
  isObjectType,
  Kind,
} from 'graphql';
import type { SupergraphFacts } from '../supergraph-facts';
import type { FieldSelection, OperationTree, Selections } from './operation-tree';

type ObjectType = GraphQLObjectType | GraphQLInterfaceType;

interface WideningDeps {
  /** Public schema. */
  readonly schema: GraphQLSchema;
  readonly facts: SupergraphFacts;
}

const TYPE_NAME: FieldSelection = {
  kind: 'field',
  name: '__typename',
  responseKey: '__typename',
  dataKey: '__typename',
  node: { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } },
  selections: undefined,
};

/**
 * Selects the fields of interface objects for objects of all types: `{ ... on Novel { cost } ... on Comic { cost } }` becomes
 * `{ __typename cost }`. When several fragments select such fields, the planner only looks them up for one of the types.
 */
export function widenSelections(deps: WideningDeps, tree: OperationTree): OperationTree {
  const type = deps.schema.getRootType(tree.operation.operation) ?? undefined;
  return { ...tree, selections: widen(deps, tree.selections, type) };
}

function widen(deps: WideningDeps, selections: Selections, type: ObjectType | undefined): Selections {
  if (!isInterfaceType(type) || deps.facts.types?.interfaceObjects.has(type.name) !== true) {
    return widenBelow(deps, selections, type);
  }
  const shared: FieldSelection[] = [];
  const rest = withoutShared(deps, selections, { type, common: type, shared });
  if (shared.every((field) => selections.includes(field))) return widenBelow(deps, selections, type);
  return [TYPE_NAME, ...widenBelow(deps, shared, type), ...widenBelow(deps, rest, type)];
}

function widenBelow(deps: WideningDeps, selections: Selections, type: ObjectType | undefined): Selections {
  return selections.map((selection) => {
    if (selection.kind === 'field') {
      if (selection.selections === undefined) return selection;
      return { ...selection, selections: widen(deps, selection.selections, typeBelow(type, selection)) };
    }
    const inside = typeNamed(deps, selection.typeCondition, type);
    return { ...selection, selections: widenBelow(deps, selection.selections, inside) };
  });
}

interface SharedFields {
  /** Type of the fragment that the selections are in. */
  readonly type: ObjectType | undefined;
  /** The interface. */
  readonly common: GraphQLInterfaceType;
  /** Receives the fields that objects of all types have. */
  readonly shared: FieldSelection[];
}

function withoutShared(deps: WideningDeps, selections: Selections, fields: SharedFields): Selections {
  return selections.flatMap((selection): Selections => {
    if (selection.kind === 'type') {
      const type = typeNamed(deps, selection.typeCondition, fields.type);
      return [{ ...selection, selections: withoutShared(deps, selection.selections, { ...fields, type }) }];
    }
    if (!isShared(selection, fields)) return [selection];
    fields.shared.push(selection);
    return [];
  });
}

/** An implementation may have a narrower type and more arguments than its interface. */
function isShared({ name, node }: FieldSelection, { type, common }: SharedFields): boolean {
  const declared = common.getFields()[name];
  const own = type?.getFields()[name];
  if (declared === undefined || own === undefined) return false;
  const isSameType = getNamedType(declared.type) === getNamedType(own.type);
  const given = (node.arguments ?? []).map((argument) => argument.name.value);
  return isSameType && given.every((each) => declared.args.some((argument) => argument.name === each));
}

function typeBelow(type: ObjectType | undefined, { name }: FieldSelection): ObjectType | undefined {
  const field = type?.getFields()[name];
  const below = field === undefined ? undefined : getNamedType(field.type);
  return isObjectType(below) || isInterfaceType(below) ? below : undefined;
}

function typeNamed(
  { schema }: WideningDeps,
  name: string | undefined,
  otherwise: ObjectType | undefined,
): ObjectType | undefined {
  if (name === undefined) return otherwise;
  const type = schema.getType(name);
  return isObjectType(type) || isInterfaceType(type) ? type : undefined;
}
