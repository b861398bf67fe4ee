import {
  type DocumentNode,
  type EnumTypeDefinitionNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
  isEnumType,
  Kind,
} from 'graphql';
import type { FixedField } from './planner/fixed-fields';
import { readSupergraphTypes, type SupergraphTypes } from './supergraph-types';

/** Information about the supergraph that plans need and the public schema lacks, because it omits inaccessible elements. */
export interface SupergraphFacts {
  /** Types and interfaces that satisfy an interface or union, by its name. */
  readonly subtypes: ReadonlyMap<string, ReadonlySet<string>>;
  /** Enums with inaccessible values. */
  readonly partlyHiddenEnums: ReadonlySet<string>;
  /** Names of the fields of all types. */
  readonly fieldNames: ReadonlySet<string>;
  /** Names of fields with arguments in some type: one name can then stand for several values of an object. */
  readonly fieldNamesWithArguments: ReadonlySet<string>;
  /** Names of fields with `@provides` in some subgraph. */
  readonly providingFields: ReadonlySet<string>;
  /** The types of the subgraphs; see `readSupergraphTypes`. */
  readonly types: SupergraphTypes | undefined;
  /** Fields that stand for a field with arguments in this supergraph. */
  readonly fixedFields: ReadonlyMap<string, FixedField>;
  /** True when an object of the type `typeName` satisfies the type condition. */
  satisfies(typeName: string, condition: string): boolean;
}

export function readSupergraphFacts(
  supergraph: DocumentNode,
  publicSchema: GraphQLSchema,
  fixedFields: SupergraphFacts['fixedFields'] = new Map(),
): SupergraphFacts {
  const subtypes = subtypesOf(supergraph);
  const partlyHiddenEnums = new Set<string>();
  for (const definition of supergraph.definitions) {
    if (definition.kind === Kind.ENUM_TYPE_DEFINITION && hidesValues(definition, publicSchema)) {
      partlyHiddenEnums.add(definition.name.value);
    }
  }
  const satisfies = (typeName: string, condition: string): boolean =>
    typeName === condition || subtypes.get(condition)?.has(typeName) === true;
  return {
    subtypes,
    partlyHiddenEnums,
    ...fieldFactsOf(supergraph),
    types: readSupergraphTypes(supergraph),
    fixedFields,
    satisfies,
  };
}

type FieldFacts = Pick<SupergraphFacts, 'fieldNames' | 'fieldNamesWithArguments' | 'providingFields'>;

function fieldFactsOf(supergraph: DocumentNode): FieldFacts {
  const fieldNames = new Set<string>();
  const fieldNamesWithArguments = new Set<string>();
  const providingFields = new Set<string>();
  for (const definition of supergraph.definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue;
    for (const field of definition.fields ?? []) {
      fieldNames.add(field.name.value);
      if (field.arguments !== undefined && field.arguments.length > 0) fieldNamesWithArguments.add(field.name.value);
      if (isProviding(field)) providingFields.add(field.name.value);
    }
  }
  return { fieldNames, fieldNamesWithArguments, providingFields };
}

const isProviding = ({ directives = [] }: FieldDefinitionNode): boolean =>
  directives.some(
    (directive) =>
      directive.name.value === 'join__field' &&
      directive.arguments?.some((argument) => argument.name.value === 'provides') === true,
  );

function subtypesOf(supergraph: DocumentNode): ReadonlyMap<string, ReadonlySet<string>> {
  const subtypes = new Map<string, Set<string>>();
  const add = (abstract: string, subtype: string): void => {
    const known = subtypes.get(abstract);
    if (known === undefined) subtypes.set(abstract, new Set([subtype]));
    else known.add(subtype);
  };
  for (const definition of supergraph.definitions) {
    if (definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.INTERFACE_TYPE_DEFINITION) {
      for (const implemented of definition.interfaces ?? []) add(implemented.name.value, definition.name.value);
    } else if (definition.kind === Kind.UNION_TYPE_DEFINITION) {
      for (const member of definition.types ?? []) add(definition.name.value, member.name.value);
    }
  }
  return subtypes;
}

function hidesValues(definition: EnumTypeDefinitionNode, publicSchema: GraphQLSchema): boolean {
  const shown = publicSchema.getType(definition.name.value);
  if (!isEnumType(shown)) return false;
  return (definition.values ?? []).some((value) => shown.getValue(value.name.value) === undefined);
}
