import type { PlanNode } from '@graphql-hive/router-query-planner';
import type { FetchDeps } from './subgraph-fetch';
import { renamedKeys } from './rewrites';
import type { SupergraphFacts } from '../supergraph-facts';

/** Dependencies for compiling the nodes of one plan. */
export interface PlanCompilation extends FetchDeps {
  readonly facts: SupergraphFacts;
  /** All renames by output rewrites of the plan, as `key>new key`. */
  readonly renames: ReadonlySet<string>;
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
