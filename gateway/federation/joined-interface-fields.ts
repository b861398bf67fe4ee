import {
  type ConstArgumentNode,
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  parse,
  print,
} from 'graphql';
import { graphNames } from './graph-names';

interface Subgraph {
  readonly name: string;
  readonly typeDefs: DocumentNode;
}

/**
 * Adds `@join__field` to the fields of interfaces where the composition omits it: it does so when every subgraph of the
 * interface has the field, even if an interface object only has it as `@external`. A planner would then fetch the field from
 * the subgraph that requires it.
 */
export function withJoinedInterfaceFields(supergraphSdl: string, subgraphs: readonly Subgraph[]): string {
  const supergraph = parse(supergraphSdl, { noLocation: true });
  const graphs = graphNames(supergraph);
  const changed = new Set<string>();
  const joinFields = (type: InterfaceTypeDefinitionNode): InterfaceTypeDefinitionNode => {
    const fields = (type.fields ?? []).map((field) => {
      if (directiveOf(field, 'join__field') !== undefined) return field;
      const added = [...graphs].flatMap(([graph, name]) => {
        const typeDefs = subgraphs.find((subgraph) => subgraph.name === name)?.typeDefs;
        return definitionsOf(typeDefs, type.name.value, field.name.value).map((each) => joinField(graph, each));
      });
      if (added.every(({ arguments: given = [] }) => given.length === 1)) return field;
      changed.add(type.name.value);
      return { ...field, directives: [...(field.directives ?? []), ...added] };
    });
    return { ...type, fields };
  };
  const definitions = supergraph.definitions.map((definition) =>
    definition.kind === Kind.INTERFACE_TYPE_DEFINITION ? joinFields(definition) : definition,
  );
  return changed.size > 0 ? print({ ...supergraph, definitions }) : supergraphSdl;
}

const directiveOf = ({ directives = [] }: FieldDefinitionNode, name: string): ConstDirectiveNode | undefined =>
  directives.find((directive) => directive.name.value === name);

/** The definitions of a field in a subgraph, where the interface may be an object or an extension. */
function definitionsOf(typeDefs: DocumentNode | undefined, type: string, field: string): FieldDefinitionNode[] {
  return (typeDefs?.definitions ?? []).flatMap((definition) => {
    switch (definition.kind) {
      case Kind.OBJECT_TYPE_DEFINITION:
      case Kind.OBJECT_TYPE_EXTENSION:
      case Kind.INTERFACE_TYPE_DEFINITION:
      case Kind.INTERFACE_TYPE_EXTENSION:
        if (definition.name.value !== type) return [];
        return (definition.fields ?? []).filter(({ name }) => name.value === field);
      default:
        return [];
    }
  });
}

/** `@join__field` of a field in one subgraph. It has only the argument `graph` when the subgraph simply resolves the field. */
function joinField(graph: string, definition: FieldDefinitionNode): ConstDirectiveNode {
  const given: ConstArgumentNode[] = [argument('graph', { kind: Kind.ENUM, value: graph })];
  for (const name of ['requires', 'provides']) {
    const fields = federationDirective(definition, name)?.arguments?.find((each) => each.name.value === 'fields');
    if (fields !== undefined) given.push(argument(name, fields.value));
  }
  if (federationDirective(definition, 'external') !== undefined)
    given.push(argument('external', { kind: Kind.BOOLEAN, value: true }));
  return { kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: 'join__field' }, arguments: given };
}

/** A directive of the federation specification, imported or with its prefix. */
const federationDirective = (field: FieldDefinitionNode, name: string): ConstDirectiveNode | undefined =>
  directiveOf(field, name) ?? directiveOf(field, `federation__${name}`);

const argument = (name: string, value: ConstArgumentNode['value']): ConstArgumentNode => ({
  kind: Kind.ARGUMENT,
  name: { kind: Kind.NAME, value: name },
  value,
});
