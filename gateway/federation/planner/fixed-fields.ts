import {
  type ArgumentNode,
  type ConstArgumentNode,
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type FieldNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionNode,
  type SelectionSetNode,
  type TypeNode,
} from 'graphql';

/** A field with the arguments that some `@requires` fixes for it. */
export interface FixedField {
  readonly name: string;
  readonly arguments: readonly ArgumentNode[];
}

/** The supergraph as the planner gets it. */
export interface PlannerSupergraph {
  readonly document: DocumentNode;
  /** By the name that stands for the field in this supergraph. */
  readonly fixedFields: ReadonlyMap<string, FixedField>;
}

type ObjectDefinition = ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode;

const isObject = (definition: { readonly kind: Kind }): definition is ObjectDefinition =>
  definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.INTERFACE_TYPE_DEFINITION;

/**
 * Replaces each field with arguments in a `@requires` by a field of its own without arguments: `weight(unit: "kg")` becomes
 * `weight_fixed_1`. The planner plans such fields for wrong objects or with wrong arguments when one document needs a field
 * with several arguments. `restoreFixedFields` puts the real fields into the plan.
 */
export function withFixedFields(supergraph: DocumentNode): PlannerSupergraph {
  const fixing = createFixing(supergraph);
  const fixed = supergraph.definitions.map((definition) =>
    isObject(definition) ? fixRequires(fixing, definition) : definition,
  );
  if (fixing.byMeaning.size === 0) return { document: supergraph, fixedFields: new Map() };
  const definitions = fixed.map((definition) => (isObject(definition) ? addFields(fixing, definition) : definition));
  const fixedFields = new Map([...fixing.byMeaning.values()].map(({ fixedName, field }) => [fixedName, field]));
  return { document: { ...supergraph, definitions }, fixedFields };
}

interface NamedFixedField {
  readonly fixedName: string;
  readonly field: FixedField;
}

interface Fixing {
  readonly types: ReadonlyMap<string, ObjectDefinition>;
  /** Names that are not available. */
  readonly taken: Set<string>;
  /** By field with arguments, whatever the type: an interface and its implementations have the same names. */
  readonly byMeaning: Map<string, NamedFixedField>;
  /** The names that each type or interface gets. */
  readonly added: Map<string, Set<string>>;
}

function createFixing({ definitions }: DocumentNode): Fixing {
  const objects = definitions.filter(isObject);
  return {
    types: new Map(objects.map((definition) => [definition.name.value, definition])),
    taken: new Set(objects.flatMap(({ fields = [] }) => fields.map(({ name }) => name.value))),
    byMeaning: new Map(),
    added: new Map(),
  };
}

function fixRequires(fixing: Fixing, definition: ObjectDefinition): ObjectDefinition {
  const fixSelections = (text: string): string => {
    const { selectionSet } = parse(`{${text}}`, { noLocation: true }).definitions[0] as OperationDefinitionNode;
    const { selections } = fixSet(fixing, selectionSet, definition.name.value);
    return selections.map((selection) => print(selection)).join(' ');
  };
  const fields = definition.fields?.map((field) => {
    const directives = field.directives?.map((directive) => withRequires(directive, fixSelections));
    return directives === undefined ? field : { ...field, directives };
  });
  return fields === undefined ? definition : { ...definition, fields };
}

/** A `@join__field` with changed selections in `requires`, if these have arguments. */
function withRequires(directive: ConstDirectiveNode, change: (selections: string) => string): ConstDirectiveNode {
  if (directive.name.value !== 'join__field') return directive;
  const changed = (directive.arguments ?? []).map((argument): ConstArgumentNode => {
    const { name, value } = argument;
    const isChanged = name.value === 'requires' && value.kind === Kind.STRING && value.value.includes('(');
    return isChanged ? { ...argument, value: { kind: Kind.STRING, value: change(value.value) } } : argument;
  });
  return { ...directive, arguments: changed };
}

function fixSet(fixing: Fixing, set: SelectionSetNode, typeName: string): SelectionSetNode {
  const selections = set.selections.map((selection): SelectionNode => {
    if (selection.kind === Kind.FIELD) return fixField(fixing, selection, typeName);
    if (selection.kind === Kind.FRAGMENT_SPREAD) return selection;
    const condition = selection.typeCondition?.name.value ?? typeName;
    return { ...selection, selectionSet: fixSet(fixing, selection.selectionSet, condition) };
  });
  return { ...set, selections };
}

function fixField(fixing: Fixing, field: FieldNode, typeName: string): FieldNode {
  const definition = fieldOf(fixing.types.get(typeName), field.name.value);
  const below = definition === undefined ? undefined : namedType(definition.type);
  const { selectionSet, arguments: given = [] } = field;
  const selected =
    selectionSet === undefined || below === undefined
      ? field
      : { ...field, selectionSet: fixSet(fixing, selectionSet, below) };
  if (given.length === 0) return selected;
  const name = fixedNameOf(fixing, field);
  for (const each of [typeName, ...implementationsOf(fixing, typeName)]) {
    fixing.added.set(each, new Set([...(fixing.added.get(each) ?? []), name]));
  }
  return { ...selected, name: { kind: Kind.NAME, value: name }, arguments: [] };
}

function fixedNameOf(
  { byMeaning, taken }: Fixing,
  { name: { value: name }, arguments: given = [] }: FieldNode,
): string {
  const meaning = `${name}(${given
    .map((argument) => print(argument))
    .sort()
    .join()})`;
  const known = byMeaning.get(meaning);
  if (known !== undefined) return known.fixedName;
  let suffix = 1;
  while (taken.has(`${name}_fixed_${suffix}`)) suffix += 1;
  const fixedName = `${name}_fixed_${suffix}`;
  taken.add(fixedName);
  byMeaning.set(meaning, { fixedName, field: { name, arguments: given } });
  return fixedName;
}

const implementationsOf = ({ types }: Fixing, name: string): readonly string[] =>
  [...types.values()]
    .filter(({ interfaces = [] }) => interfaces.some((each) => each.name.value === name))
    .map((each) => each.name.value);

const fieldOf = (type: ObjectDefinition | undefined, name: string): FieldDefinitionNode | undefined =>
  type?.fields?.find((field) => field.name.value === name);

const namedType = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type));

/** The new fields are resolved by the same subgraphs as the fields with arguments. */
function addFields({ added, byMeaning }: Fixing, definition: ObjectDefinition): ObjectDefinition {
  const names = added.get(definition.name.value) ?? new Set();
  const fields = [...byMeaning.values()].flatMap(({ fixedName, field }): FieldDefinitionNode[] => {
    const original = names.has(fixedName) ? fieldOf(definition, field.name) : undefined;
    if (original === undefined) return [];
    return [{ ...original, name: { kind: Kind.NAME, value: fixedName }, arguments: [] }];
  });
  return fields.length === 0 ? definition : { ...definition, fields: [...(definition.fields ?? []), ...fields] };
}
