import type { SelectionSetNode } from 'graphql';
import type { SupergraphFacts } from '../supergraph-facts';
import { type FetchSource, fillSelections } from './fill-planned-data';
import type { FlattenPath } from '../plan/flatten-path';
import {
  newObject,
  OWN_TYPE,
  type PlannedData,
  type PlannedObject,
  type PlannedVariant,
  type TypeNames,
  variantsOf,
} from './planned-data';

/** Objects at a path, with their types and those of the objects above them. */
export interface Target {
  readonly keys: readonly string[];
  /** By level: those of the root are the first. */
  readonly types: readonly TypeNames[];
  readonly variant: PlannedVariant;
}

/** The objects on a path; see `compileCollectObjects`. */
export function targetsAt({ root }: PlannedData, path: FlattenPath, facts: SupergraphFacts): readonly Target[] {
  let targets = targetsOf(root, { keys: [], types: [] });
  for (const step of path) {
    if (step === '@') continue;
    targets = targets.flatMap((target) =>
      'Field' in step ? below(target, step.Field) : passing(target, step.TypeCondition, facts),
    );
  }
  return targets;
}

const targetsOf = (object: PlannedObject, above: Pick<Target, 'keys' | 'types'>): readonly Target[] =>
  object.map((variant) => ({ keys: above.keys, types: [...above.types, variant.types], variant }));

function below({ keys, types, variant }: Target, key: string): readonly Target[] {
  const field = variant.fields.get(key);
  return field?.below === undefined ? [] : targetsOf(field.below, { keys: [...keys, key], types });
}

/** An object without `__typename` passes, as in `compileCollectObjects`. */
function passing(target: Target, conditions: readonly string[], facts: SupergraphFacts): readonly Target[] {
  const { typeName } = target.variant;
  if (typeName === undefined) return [target];
  const passes = (name: string): boolean => conditions.some((condition) => facts.satisfies(name, condition));
  if (typeName !== OWN_TYPE) return passes(typeName) ? [target] : [];
  const last = target.types.at(-1) ?? new Set<string>();
  const passed = new Set([...last].filter(passes));
  return passed.size === 0 ? [] : [{ ...target, types: [...target.types.slice(0, -1), passed] }];
}

export interface FilledSelections {
  readonly set: SelectionSetNode;
  /** Paths in the representation. */
  readonly sent: ReadonlySet<string>;
}

/** Adds the keys that selections of a fetch fill in the objects of a target. */
export function fillTarget(fetch: FetchSource, { keys, types }: Target, { set, sent }: FilledSelections): void {
  let objects: readonly PlannedObject[] = [fetch.data.root];
  keys.forEach((key, level) => {
    objects = objects.flatMap((object) =>
      variantsOf(fetch.data, object, types[level] ?? new Set()).map(
        ({ fields }) => fields.get(key)?.below ?? newObject(new Set()),
      ),
    );
  });
  const last = types.at(-1) ?? new Set<string>();
  for (const object of objects) fillSelections(fetch, set, { object, types: last, sent, path: keys.join('.') });
}
