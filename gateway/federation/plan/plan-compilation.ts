import type { FlattenNode, PlanNode, RequiresSelection } from '@graphql-hive/router-query-planner';
import type { FlattenPath } from './flatten-path';
import { placeName } from './narrow-lookup';
import { renamedKeys } from './rewrites';
import type { CallerSelections } from './selected-place';
import type { FetchDeps } from './subgraph-fetch';
import type { SupergraphFacts } from '../supergraph-facts';

/** Dependencies for compiling the nodes of one plan. */
export interface PlanCompilation extends FetchDeps {
  readonly facts: SupergraphFacts;
  /** All renames by output rewrites of the plan, as `key>new key`. */
  readonly renames: ReadonlySet<string>;
  readonly caller: CallerSelections;
  /** Returns the places in the data of the fields that lookups of the plan send. */
  readonly sentFields: () => ReadonlySet<string>;
}

export function renamesOfPlan(node: PlanNode): ReadonlySet<string> {
  const renames = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      if (key !== 'outputRewrites') visit(child);
      else
        for (const [from, to] of renamedKeys(child as Parameters<typeof renamedKeys>[0])) renames.add(`${from}>${to}`);
    }
  };
  visit(node);
  return renames;
}

/** Places in the data of the fields that the lookups of a plan send. Only computed after a failure. */
export function sentFieldsOfPlan(node: PlanNode): () => ReadonlySet<string> {
  let known: ReadonlySet<string> | undefined;
  return () => (known ??= findSentFields(node));
}

function findSentFields(node: PlanNode): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (requires: readonly RequiresSelection[], keys: readonly string[]): void => {
    for (const selection of requires) {
      if (selection.kind === 'FragmentSpread') continue;
      // An output rewrite can give a field the key that is its alias here.
      const own = selection.kind === 'Field' ? [selection.name, selection.alias ?? selection.name] : [undefined];
      for (const key of own) {
        const at = key === undefined ? keys : [...keys, key];
        if (key !== undefined) names.add(placeName(at));
        add(selection.selections ?? [], at);
      }
    }
  };
  for (const { paths, requires } of lookupsOf(node)) for (const path of paths) add(requires, keysOf(path));
  return names;
}

const keysOf = (path: FlattenPath): readonly string[] =>
  path.flatMap((segment) => (segment !== '@' && 'Field' in segment ? [segment.Field] : []));

interface PlannedLookup {
  readonly paths: readonly FlattenPath[];
  readonly requires: readonly RequiresSelection[];
}

function lookupsOf(node: PlanNode): readonly PlannedLookup[] {
  switch (node.kind) {
    case 'Sequence':
    case 'Parallel':
      return node.nodes.flatMap(lookupsOf);
    case 'Condition':
      return [node.ifClause, node.elseClause].flatMap((clause) => (clause ? lookupsOf(clause) : [])); // an absent clause is null
    case 'Flatten':
      return lookupsOfFlatten(node);
    case 'BatchFetch':
      return node.entityBatch.aliases;
    case 'Fetch':
    case 'Subscription':
    case 'Defer':
      return [];
  }
}

const lookupsOfFlatten = ({ path, node }: FlattenNode): readonly PlannedLookup[] =>
  node.kind === 'Fetch' && node.requires !== undefined ? [{ paths: [path], requires: node.requires }] : [];
