/** Object types that an object can have. */
export type TypeNames = ReadonlySet<string>;

/** A key that a plan fills. */
export interface PlannedField {
  /** The field with its arguments. */
  readonly meaning: string;
  /** `undefined` for a leaf. */
  readonly below: PlannedObject | undefined;
}

/** The keys that a plan fills in the objects of some types. */
export interface PlannedVariant {
  readonly types: TypeNames;
  /** `__typename` in the data: the name of an interface when only subgraphs with an interface object have responded. */
  typeName: string | undefined;
  readonly fields: Map<string, PlannedField>;
}

/** The objects at one place of the data. No type belongs to two variants. */
export type PlannedObject = PlannedVariant[];

/** What a plan would fetch, while the plan is followed step by step. */
export interface PlannedData {
  readonly root: PlannedObject;
  /** Fields that were filled or copied so far, once for each group of types. */
  steps: number;
  /** The first reason why the plan would return a wrong value. */
  problem: string | undefined;
}

/** Stands for the name of the object type in `PlannedVariant.typeName`. */
export const OWN_TYPE = '';

/** Bounds time and memory, because documents come from callers. */
const MAX_STEPS = 20_000;

/** False when the bound is reached: the plan then has a problem, and following it ends. */
export function countSteps(data: PlannedData, steps: number): boolean {
  data.steps += steps;
  if (data.steps > MAX_STEPS) addProblem(data, 'too many combinations of types');
  return data.steps <= MAX_STEPS;
}

export const newObject = (types: TypeNames): PlannedObject => [{ types, typeName: undefined, fields: new Map() }];

export const common = (one: TypeNames, other: TypeNames): TypeNames =>
  new Set([...one].filter((name) => other.has(name)));

const without = (one: TypeNames, other: TypeNames): TypeNames => new Set([...one].filter((name) => !other.has(name)));

export function addProblem(data: PlannedData, problem: string): void {
  data.problem ??= problem;
}

/** Returns variants for exactly the given types, after dividing those that also have others. */
export function variantsOf(data: PlannedData, object: PlannedObject, types: TypeNames): readonly PlannedVariant[] {
  return [...object].flatMap((variant) => {
    const inside = common(variant.types, types);
    if (inside.size === 0) return [];
    if (inside.size === variant.types.size) return [variant];
    const found = { ...variant, types: inside };
    const rest = { ...variant, types: without(variant.types, inside), fields: copyOf(data, variant.fields) };
    object.splice(object.indexOf(variant), 1, found, rest);
    return [found];
  });
}

function copyOf(data: PlannedData, fields: PlannedVariant['fields']): PlannedVariant['fields'] {
  if (!countSteps(data, fields.size)) return new Map();
  return new Map(
    [...fields].map(([key, { meaning, below }]) => [
      key,
      { meaning, below: below?.map((variant) => ({ ...variant, fields: copyOf(data, variant.fields) })) },
    ]),
  );
}

/** Removes the types that another subgraph does not have at the same place, so that no object has them. */
export function restrict(object: PlannedObject, types: TypeNames): void {
  const kept = object.flatMap((variant) => {
    const inside = common(variant.types, types);
    return inside.size === 0 ? [] : [{ ...variant, types: inside }];
  });
  object.splice(0, object.length, ...kept);
}
