import type { FlattenNodePathSegment } from '@graphql-hive/router-query-planner';
import type { ResponsePath } from '../formatted-error';
import type { DataObject } from './merge';
import type { SupergraphFacts } from '../supergraph-facts';

export type FlattenPath = readonly FlattenNodePathSegment[];

/** Appends every object at a path to `found`. */
export type ObjectCollector = (value: unknown, found: DataObject[]) => void;

type PathStep = Exclude<FlattenNodePathSegment, '@'>;

/** Removes `@`: a list of lists has a single one, so all lists are flattened regardless of it. */
const stepsOf = (path: FlattenPath): readonly PathStep[] => path.filter((segment) => segment !== '@');

export function compileObjectCollector(path: FlattenPath, facts: SupergraphFacts): ObjectCollector {
  let collect: ObjectCollector = throughLists((object, found) => found.push(object));
  for (const step of stepsOf(path).toReversed()) collect = throughLists(takeStep(step, collect, facts));
  return collect;
}

function throughLists(visit: (object: DataObject, found: DataObject[]) => void): ObjectCollector {
  const collect: ObjectCollector = (value, found) => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) for (let i = 0; i < value.length; i++) collect(value[i], found);
    else visit(value as DataObject, found);
  };
  return collect;
}

function takeStep(
  step: PathStep,
  next: ObjectCollector,
  facts: SupergraphFacts,
): (object: DataObject, found: DataObject[]) => void {
  if ('Field' in step) {
    const key = step.Field;
    return (object, found) => next(object[key], found);
  }
  const passes = typeTest(step.TypeCondition, facts);
  return (object, found) => {
    if (passes(object)) next(object, found);
  };
}

/** An object without `__typename` passes: its type was certain when the plan was made. */
function typeTest(conditions: readonly string[], facts: SupergraphFacts): (object: DataObject) => boolean {
  const names = new Set<unknown>(conditions);
  for (const condition of conditions) for (const name of facts.subtypes.get(condition) ?? []) names.add(name);
  return ({ __typename: name }) => name === undefined || names.has(name);
}

/** Finds the position of each object at a path in the data. Only needed after a failure. */
export function locateObjects(
  data: DataObject,
  path: FlattenPath,
  facts: SupergraphFacts,
): ReadonlyMap<DataObject, readonly ResponsePath[]> {
  const located = new Map<DataObject, ResponsePath[]>();
  let locate: Locate = intoLists((object, at) => located.set(object, [...(located.get(object) ?? []), at]));
  for (const step of stepsOf(path).toReversed()) locate = intoLists(locateStep(step, locate, facts));
  locate(data, []);
  return located;
}

type Locate = (value: unknown, at: ResponsePath) => void;
type LocateObject = (object: DataObject, at: ResponsePath) => void;

function intoLists(visit: LocateObject): Locate {
  const locate: Locate = (value, at) => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) value.forEach((item, index) => locate(item, [...at, index]));
    else visit(value as DataObject, at);
  };
  return locate;
}

function locateStep(step: PathStep, next: Locate, facts: SupergraphFacts): LocateObject {
  if ('Field' in step) return (object, at) => next(object[step.Field], [...at, step.Field]);
  const passes = typeTest(step.TypeCondition, facts);
  return (object, at) => {
    if (passes(object)) next(object, at);
  };
}

/** The fields of a path up to its first list: the most precise path of an error that concerns the whole list. */
export function pathBeforeLists(path: FlattenPath): ResponsePath {
  const keys: string[] = [];
  for (const segment of path) {
    if (segment === '@') break;
    if ('Field' in segment) keys.push(segment.Field);
  }
  return keys;
}
