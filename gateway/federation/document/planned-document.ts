import {
  getNamedType,
  type GraphQLCompositeType,
  type GraphQLSchema,
  isAbstractType,
  isCompositeType,
  isUnionType,
  print,
} from 'graphql';
import type { SupergraphFacts } from '../supergraph-facts';
import type { FieldSelection, OperationTree, Selections } from './operation-tree';
import { widenSelections } from './widen-selections';

export interface PlannedDocumentDeps {
  /** Public schema. */
  readonly schema: GraphQLSchema;
  readonly facts: SupergraphFacts;
}

/**
 * The documents to plan, in the order of preference: the second is for the case that the plan of the first is refused.
 * `undefined` when the operation needs no subgraph.
 */
export function plannedDocuments(
  deps: PlannedDocumentDeps,
  tree: OperationTree,
): readonly [string | undefined, ...string[]] {
  const document = plannedDocument(deps, tree);
  if (deps.facts.types === undefined || deps.facts.types.interfaceObjects.size === 0) return [document];
  const widened = plannedDocument(deps, widenSelections(deps, tree));
  return widened === undefined || widened === document ? [document] : [document, widened];
}

/**
 * The document for the planner: without introspection and inapplicable branches, with every field under its data key.
 * `undefined` when the operation needs no subgraph.
 */
export function plannedDocument(
  { schema, facts }: PlannedDocumentDeps,
  { operation, selections }: OperationTree,
): string | undefined {
  const type = schema.getRootType(operation.operation) ?? undefined;
  const fields = compilePrint(schema, facts)(selections, { type, isRoot: true, isProvided: false });
  if (fields === '') return undefined;
  const variables = (operation.variableDefinitions ?? []).map((definition) => print(definition)).join(', ');
  return `${operation.operation}${variables === '' ? '' : `(${variables})`}{${fields}}`;
}

/** The object that selections apply to. */
interface Place {
  readonly type: GraphQLCompositeType | undefined;
  readonly isRoot: boolean;
  /** True below a field with `@provides`. */
  readonly isProvided: boolean;
}

type Print = (selections: Selections, place: Place) => string;

function compilePrint(schema: GraphQLSchema, { providingFields }: SupergraphFacts): Print {
  const printField = (field: FieldSelection, { type, isRoot, isProvided }: Place): string => {
    // Projection adds the names of the root types, and the public schema resolves introspection.
    if (field.name.startsWith('__')) return isRoot ? '' : '__typename';
    const alias = field.dataKey === field.name ? '' : `${field.dataKey}:`;
    const given = (field.node.arguments ?? []).map((argument) => print(argument)).join(', ');
    const call = `${alias}${field.name}${given === '' ? '' : `(${given})`}`;
    if (field.selections === undefined) return call;
    const below: Place = {
      type: typeOfField(type, field),
      isRoot: false,
      isProvided: isProvided || providingFields.has(field.name),
    };
    return `${call}{${printObject(field.selections, below)}}`;
  };
  const printSelections: Print = (selections, place) =>
    selections
      .map((selection) => {
        if (selection.kind === 'field') return printField(selection, place);
        const { typeCondition: name } = selection;
        const below = printSelections(selection.selections, { ...place, type: typeNamed(schema, name) ?? place.type });
        return below === '' ? '' : `...${name === undefined ? '' : `on ${name}`}{${below}}`;
      })
      .filter((text) => text !== '')
      .join(' ');
  /**
   * Adds `__typename` where no field applies: the planner would drop the object, and the caller would get null instead of
   * `{}`. An object below `@provides` gets it only when no fragment applies either: the subgraph provides the fields of its
   * directive, and the planner would look the object up elsewhere for `__typename`.
   */
  const printObject: Print = (selections, place) => {
    const printed = printSelections(selections, place);
    if (selections.some((selection) => selection.kind === 'field')) return printed;
    const isSelected = place.isProvided && printed !== '' && applies(schema, selections, possibleNames(schema, place));
    return isSelected ? printed : `__typename ${printed}`;
  };
  return printSelections;
}

const typeNamed = (schema: GraphQLSchema, name: string | undefined): GraphQLCompositeType | undefined => {
  const type = name === undefined ? undefined : schema.getType(name);
  return isCompositeType(type) ? type : undefined;
};

function typeOfField(parent: Place['type'], { name }: FieldSelection): GraphQLCompositeType | undefined {
  const field = parent === undefined || isUnionType(parent) ? undefined : parent.getFields()[name];
  const type = field === undefined ? undefined : getNamedType(field.type);
  return isCompositeType(type) ? type : undefined;
}

const possibleNames = (schema: GraphQLSchema, { type }: Pick<Place, 'type'>): readonly string[] => {
  if (type === undefined) return [];
  return isAbstractType(type) ? schema.getPossibleTypes(type).map(({ name }) => name) : [type.name];
};

/** True when a field applies to an object of one of these types. */
function applies(schema: GraphQLSchema, selections: Selections, types: readonly string[]): boolean {
  return selections.some((selection) => {
    if (selection.kind === 'field') return types.length > 0;
    const { typeCondition } = selection;
    if (typeCondition === undefined) return applies(schema, selection.selections, types);
    const allowed = new Set(possibleNames(schema, { type: typeNamed(schema, typeCondition) }));
    const common = types.filter((name) => allowed.has(name));
    return applies(schema, selection.selections, common);
  });
}
