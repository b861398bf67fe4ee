import type { RequiresSelection } from '@graphql-hive/router-query-planner';
import { InvariantError } from '../../../src/errors/invariant-error';
import type { SupergraphFacts } from '../supergraph-facts';

/** A field of a representation. */
export interface RequiredField {
  /** Key in the data: an internal one when `@requires` names a field with arguments. */
  readonly dataKey: string;
  readonly selections: RequiresSelection[];
  /** True for a field of a fragment on an implementation when the data has only the interface type: it may be absent. */
  optional: boolean;
}

/** The fields of a representation of type `typeName`, by key in the representation. */
export function requiredFieldsOf(
  selections: readonly RequiresSelection[],
  typeName: string | undefined,
  facts: SupergraphFacts,
): ReadonlyMap<string, RequiredField> {
  const fields = new Map<string, RequiredField>();
  const visit = (level: readonly RequiresSelection[], optional: boolean): void => {
    for (const selection of level) {
      switch (selection.kind) {
        case 'Field':
          if (selection.name !== '__typename') addField(fields, selection, optional);
          break;
        case 'InlineFragment': {
          const fit = fitOf(selection.typeCondition, typeName, facts);
          if (fit !== 'none') visit(selection.selections, optional || fit === 'narrower');
          break;
        }
        case 'FragmentSpread':
          throw new InvariantError('a representation spreads a fragment');
      }
    }
  };
  visit(selections, false);
  return fields;
}

function fitOf(condition: string, typeName: string | undefined, facts: SupergraphFacts): 'all' | 'narrower' | 'none' {
  if (typeName === undefined || facts.satisfies(typeName, condition)) return 'all';
  return facts.satisfies(condition, typeName) ? 'narrower' : 'none';
}

type FieldRequires = Extract<RequiresSelection, { kind: 'Field' }>;

function addField(fields: Map<string, RequiredField>, field: FieldRequires, optional: boolean): void {
  const key = field.alias ?? field.name;
  const selections = field.selections ?? [];
  const known = fields.get(key);
  if (known === undefined) {
    fields.set(key, { dataKey: field.name, selections: [...selections], optional });
    return;
  }
  known.selections.push(...selections);
  known.optional &&= optional;
}
