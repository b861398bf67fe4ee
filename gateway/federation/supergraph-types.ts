import {
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type InterfaceTypeDefinitionNode,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  type TypeNode,
  type UnionTypeDefinitionNode,
} from 'graphql';
import { graphNames } from './graph-names';

/** The types of the supergraph as each subgraph has them. `typeName` is the name of an object type. */
export interface SupergraphTypes {
  /** Interfaces that some subgraph has as an object. */
  readonly interfaceObjects: ReadonlySet<string>;
  /** Object types that an object of this object type, interface or union can have where a subgraph returns it. */
  possibleTypes(subgraph: string, name: string): ReadonlySet<string>;
  /** The `__typename` that a subgraph returns for an object: the interface where it has an interface object. */
  typeNameIn(subgraph: string, typeName: string): string;
  /** Name of the type that a field has in a subgraph. */
  typeOfField(subgraph: string, typeName: string, field: string): string | undefined;
  /** Paths that a representation must have for a field of a subgraph with `@requires`. */
  requiredPaths(subgraph: string, typeName: string, field: string): readonly string[];
}

type Definition = ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode | UnionTypeDefinitionNode;

const isDefinition = (definition: { readonly kind: Kind }): definition is Definition =>
  definition.kind === Kind.OBJECT_TYPE_DEFINITION ||
  definition.kind === Kind.INTERFACE_TYPE_DEFINITION ||
  definition.kind === Kind.UNION_TYPE_DEFINITION;

interface Source {
  readonly definitions: ReadonlyMap<string, Definition>;
  /** Name of a subgraph → its value of `join__Graph`. */
  readonly graphs: ReadonlyMap<string, string>;
}

/**
 * Reads the types of a supergraph. `undefined` when its plans need no check: wrong plans were found with
 * abstract types and `@requires` only.
 */
export function readSupergraphTypes(supergraph: DocumentNode): SupergraphTypes | undefined {
  const definitions = new Map(supergraph.definitions.filter(isDefinition).map((each) => [each.name.value, each]));
  const graphs = new Map([...graphNames(supergraph)].map(([graph, name]) => [name, graph]));
  if (graphs.size === 0 || ![...definitions.values()].some(needsPlanCheck)) return undefined;
  const source: Source = { definitions, graphs };
  const interfaceObjects = [...definitions.values()].filter((each) =>
    [...graphs.values()].some((graph) => isInterfaceObject(each, graph)),
  );
  return {
    interfaceObjects: new Set(interfaceObjects.map(({ name }) => name.value)),
    possibleTypes: memoized((subgraph, name) => possibleTypes(source, subgraph, name)),
    typeNameIn: memoized((subgraph, typeName) => typeNameIn(source, subgraph, typeName)),
    typeOfField(subgraph, typeName, field) {
      const [join] = joinsOf(source, subgraph, { typeName, field });
      const declared = join === undefined ? undefined : textOf(join, 'type');
      if (declared !== undefined) return declared.replaceAll(/[[\]!]/g, '');
      const definition = fieldOf(definitions.get(typeName), field);
      return definition === undefined ? undefined : namedType(definition.type);
    },
    requiredPaths(subgraph, typeName, field) {
      const texts = joinsOf(source, subgraph, { typeName, field }).map((join) => textOf(join, 'requires'));
      return texts.flatMap((text) => (text === undefined ? [] : pathsOfText(text)));
    },
  };
}

const needsPlanCheck = (definition: Definition): boolean =>
  definition.kind !== Kind.OBJECT_TYPE_DEFINITION ||
  (definition.fields ?? []).some((field) =>
    directivesOf(field, 'join__field').some((join) => textOf(join, 'requires') !== undefined),
  );

function memoized<Result>(
  compute: (subgraph: string, name: string) => Result,
): (subgraph: string, name: string) => Result {
  const known = new Map<string, Result>();
  return (subgraph, name) => {
    const key = `${subgraph} ${name}`;
    const result = known.get(key) ?? compute(subgraph, name);
    known.set(key, result);
    return result;
  };
}

function possibleTypes(source: Source, subgraph: string, name: string): ReadonlySet<string> {
  const definition = source.definitions.get(name);
  const graph = source.graphs.get(subgraph);
  if (definition === undefined || graph === undefined) return new Set();
  switch (definition.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
      return new Set([name]);
    case Kind.UNION_TYPE_DEFINITION: {
      const members = directivesOf(definition, 'join__unionMember').filter((each) => textOf(each, 'graph') === graph);
      return new Set(members.flatMap((member) => textOf(member, 'member') ?? []));
    }
    case Kind.INTERFACE_TYPE_DEFINITION:
      return new Set(implementationsOf(source, graph, definition));
  }
}

/** All object types of an interface object, otherwise those that implement the interface in the subgraph. */
function implementationsOf(source: Source, graph: string, definition: InterfaceTypeDefinitionNode): string[] {
  const { name } = definition;
  const isWhole = isInterfaceObject(definition, graph);
  const candidates = [...source.definitions.values()].filter((each) => implementsIt(each, name.value));
  return candidates
    .filter((each) => isWhole || hasInterface(each, name.value, graph))
    .flatMap((each) => {
      if (each.kind === Kind.OBJECT_TYPE_DEFINITION) return [each.name.value];
      const isNested = each.kind === Kind.INTERFACE_TYPE_DEFINITION && isInterfaceObject(each, graph);
      return isNested ? implementationsOf(source, graph, each) : [];
    });
}

const implementsIt = (definition: Definition, name: string): boolean =>
  definition.kind !== Kind.UNION_TYPE_DEFINITION &&
  (definition.interfaces ?? []).some((implemented) => implemented.name.value === name);

const hasInterface = (definition: Definition, name: string, graph: string): boolean =>
  directivesOf(definition, 'join__implements').some(
    (each) => textOf(each, 'graph') === graph && textOf(each, 'interface') === name,
  );

const isInterfaceObject = (definition: Definition, graph: string): boolean =>
  directivesOf(definition, 'join__type').some(
    (each) => textOf(each, 'graph') === graph && textOf(each, 'isInterfaceObject') === 'true',
  );

/** The interfaces of an object type that a subgraph has as interface objects. */
function interfaceObjectsOf({ definitions }: Source, graph: string, typeName: string): readonly string[] {
  const definition = definitions.get(typeName);
  const interfaces = definition?.kind === Kind.OBJECT_TYPE_DEFINITION ? (definition.interfaces ?? []) : [];
  return interfaces
    .map(({ name }) => name.value)
    .filter((name) => {
      const implemented = definitions.get(name);
      return implemented !== undefined && isInterfaceObject(implemented, graph);
    });
}

function typeNameIn(source: Source, subgraph: string, typeName: string): string {
  const graph = source.graphs.get(subgraph) ?? '';
  return interfaceObjectsOf(source, graph, typeName)[0] ?? typeName;
}

/** The `@join__field` of a field in a subgraph, on the type and on its interface objects. */
function joinsOf(
  source: Source,
  subgraph: string,
  { typeName, field }: { readonly typeName: string; readonly field: string },
): readonly ConstDirectiveNode[] {
  const graph = source.graphs.get(subgraph) ?? '';
  return [typeName, ...interfaceObjectsOf(source, graph, typeName)].flatMap((name) => {
    const definition = fieldOf(source.definitions.get(name), field);
    const joins = definition === undefined ? [] : directivesOf(definition, 'join__field');
    return joins.filter((join) => textOf(join, 'graph') === graph);
  });
}

const fieldOf = (definition: Definition | undefined, name: string): FieldDefinitionNode | undefined =>
  definition === undefined || definition.kind === Kind.UNION_TYPE_DEFINITION
    ? undefined
    : definition.fields?.find((field) => field.name.value === name);

const namedType = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type));

const directivesOf = (
  { directives = [] }: { readonly directives?: readonly ConstDirectiveNode[] | undefined },
  name: string,
): readonly ConstDirectiveNode[] => directives.filter((directive) => directive.name.value === name);

/** An argument that is an enum value, a string or a boolean. */
function textOf(directive: ConstDirectiveNode, name: string): string | undefined {
  const value = directive.arguments?.find((argument) => argument.name.value === name)?.value;
  return value !== undefined && 'value' in value ? String(value.value) : undefined;
}

function pathsOfText(text: string): readonly string[] {
  const { selectionSet } = parse(`{${text}}`, { noLocation: true }).definitions[0] as OperationDefinitionNode;
  return pathsOf(selectionSet, '');
}

function pathsOf({ selections }: SelectionSetNode, prefix: string): readonly string[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return [];
    if (selection.kind === Kind.INLINE_FRAGMENT) return pathsOf(selection.selectionSet, prefix);
    const path = `${prefix}${selection.name.value}`;
    return selection.selectionSet === undefined ? [path] : [path, ...pathsOf(selection.selectionSet, `${path}.`)];
  });
}
