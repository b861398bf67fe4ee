import type { FetchNodePathSegment, FetchRewrite, KeyRenamer, ValueSetter } from '@graphql-hive/router-query-planner';
import { InvariantError } from '../../../src/errors/invariant-error';
import type { DataObject } from './merge';
import type { SupergraphFacts } from '../supergraph-facts';

type Setter = ValueSetter & { readonly kind?: string };
/** The planner writes a rewrite either as `{ValueSetter: …}` or as `{kind: 'ValueSetter', …}`. */
type Rewrite = FetchRewrite | (KeyRenamer & { readonly kind: 'KeyRenamer' });

const setterOf = (rewrite: Rewrite): Setter | undefined => {
  if ('ValueSetter' in rewrite) return rewrite.ValueSetter;
  return 'setValueTo' in rewrite ? rewrite : undefined;
};

const renamerOf = (rewrite: Rewrite): KeyRenamer | undefined => {
  if ('KeyRenamer' in rewrite) return rewrite.KeyRenamer;
  return 'renameKeyTo' in rewrite ? rewrite : undefined;
};

const lastKeyOf = (path: readonly FetchNodePathSegment[]): string => {
  const last = path.at(-1);
  if (last === undefined || !('Key' in last)) throw new InvariantError('a rewrite does not end with a key');
  return last.Key;
};

/** Renames by the output rewrites of a fetch: key in the response → key in the data. */
export function renamedKeys(rewrites: readonly Rewrite[] | undefined): ReadonlyMap<string, string> {
  const renamers = (rewrites ?? []).map(renamerOf).filter((renamer) => renamer !== undefined);
  return new Map(renamers.map(({ path, renameKeyTo }) => [lastKeyOf(path), renameKeyTo]));
}

/** Applies the output rewrites of a fetch to a response, in place. */
export type ApplyRewrites = (value: unknown) => void;

/** `undefined` without rewrites. The old key stays in the data; merging and projection ignore it. */
export function compileOutputRewrites(
  rewrites: readonly Rewrite[] | undefined,
  facts: SupergraphFacts,
): ApplyRewrites | undefined {
  if (rewrites === undefined || rewrites.length === 0) return undefined;
  const edits = rewrites.map((rewrite) => compileEdit(rewrite, facts));
  return (value) => edits.forEach((edit) => edit(value));
}

function compileEdit(rewrite: Rewrite, facts: SupergraphFacts): ApplyRewrites {
  const setter = setterOf(rewrite);
  const path = setter?.path ?? renamerOf(rewrite)?.path ?? [];
  const key = lastKeyOf(path);
  const renameTo = renamerOf(rewrite)?.renameKeyTo;
  const edit = (object: DataObject): void => {
    if (object[key] === undefined) return;
    if (setter !== undefined) object[key] = setter.setValueTo;
    else if (renameTo !== undefined) object[renameTo] = object[key];
  };
  return path.slice(0, -1).reduceRight<ApplyRewrites>((next, segment) => below(segment, next, facts), onObjects(edit));
}

function onObjects(visit: (object: DataObject) => void): ApplyRewrites {
  const apply: ApplyRewrites = (value) => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) value.forEach(apply);
    else visit(value as DataObject);
  };
  return apply;
}

function below(segment: FetchNodePathSegment, next: ApplyRewrites, facts: SupergraphFacts): ApplyRewrites {
  if ('Key' in segment) return onObjects((object) => next(object[segment.Key]));
  return onObjects((object) => {
    if (isOneOf(object['__typename'], segment.TypenameEquals, facts)) next(object);
  });
}

const isOneOf = (typeName: unknown, conditions: readonly string[], facts: SupergraphFacts): boolean =>
  typeof typeName !== 'string' || conditions.some((condition) => facts.satisfies(typeName, condition));

/**
 * The `__typename` that a subgraph uses for an object of type `typeName`. A subgraph with an interface object has only the
 * interface, not its implementations.
 */
export function typeNameFor(
  typeName: string,
  inputRewrites: readonly Rewrite[] | undefined,
  facts: SupergraphFacts,
): string {
  let name = typeName;
  for (const setter of (inputRewrites ?? []).map(setterOf)) {
    if (setter === undefined || lastKeyOf(setter.path) !== '__typename') continue;
    const applies = setter.path
      .slice(0, -1)
      .every((segment) => 'TypenameEquals' in segment && isOneOf(name, segment.TypenameEquals, facts));
    if (applies) name = setter.setValueTo;
  }
  return name;
}
