import type { ResponseShape } from './response-shape';

export type DataObject = Record<string, unknown>;

/**
 * Merges the data of a subgraph for an object into the data that was already fetched.
 *
 * Leaves are assigned, object-valued scalars included, except that the name of an interface does not replace the type of an
 * object: a subgraph with an interface object has no other name. A null fills an absent key and never erases a value. Lists of
 * objects merge element by element, since two subgraphs may resolve one shareable list. With `copy`, `target`
 * shares nothing with `source`. This is needed when several objects get the same entity, because later fetches write into
 * one of them.
 */
export function mergeObject(target: DataObject, source: DataObject, how: MergeRule): void {
  const { keys, children } = how.shape;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    const value = source[key];
    if (value === undefined) continue;
    const below = children[i];
    const known = target[key];
    if (value === null) {
      if (known === undefined) target[key] = null;
    } else if (below === undefined) {
      target[key] = key === TYPE_NAME ? typeNameOf(known, value, how) : value;
    } else if (known === undefined || known === null) {
      target[key] = how.copy ? copyOf(value, ruleBelow(how, below)) : value;
    } else {
      mergeComposite(known, value, ruleBelow(how, below));
    }
  }
}

const TYPE_NAME = '__typename';

export interface MergeRule {
  readonly shape: ResponseShape;
  readonly copy: boolean;
  /** Interfaces and unions. */
  readonly abstractTypes: { has(name: string): boolean };
}

const typeNameOf = (known: unknown, given: unknown, { abstractTypes }: MergeRule): unknown =>
  known !== undefined && abstractTypes.has(given as string) ? known : given;

const ruleBelow = ({ copy, abstractTypes }: MergeRule, shape: ResponseShape): MergeRule => ({
  shape,
  copy,
  abstractTypes,
});

function mergeComposite(known: unknown, value: unknown, how: MergeRule): void {
  if (Array.isArray(known)) {
    if (Array.isArray(value)) mergeList(known, value, how);
  } else if (isObject(known) && isObject(value)) {
    mergeObject(known, value, how);
  }
}

function mergeList(known: unknown[], values: readonly unknown[], how: MergeRule): void {
  const length = Math.min(known.length, values.length);
  for (let i = 0; i < length; i++) {
    const value = values[i];
    if (known[i] === null) known[i] = how.copy ? copyOf(value, how) : value;
    else if (value !== null) mergeComposite(known[i], value, how);
  }
}

const isObject = (value: unknown): value is DataObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function copyOf(value: unknown, how: MergeRule): unknown {
  if (Array.isArray(value)) return value.map((item) => copyOf(item, how));
  if (!isObject(value)) return value;
  const copy: DataObject = {};
  mergeObject(copy, value, how);
  return copy;
}
