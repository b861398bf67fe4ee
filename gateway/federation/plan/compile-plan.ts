import type { ConditionNode, FlattenNode, PlanNode, SubscriptionNode } from '@graphql-hive/router-query-planner';
import { InvariantError } from '../../../src/errors/invariant-error';
import type { MaybePromise } from '../maybe-promise';
import type { SubgraphResponse } from '../subgraph/subgraph-response';
import type { SubgraphResult } from '../subgraph/subgraph-transport';
import { compileBatchFetch, compileEntityFetch } from './entity-fetch';
import type { ExecutionState } from './execution-state';
import { type PlanCompilation, renamesOfPlan, sentFieldsOfPlan } from './plan-compilation';
import { restoreFixedFields } from './restore-fixed-fields';
import { compileNestedRootFetch, compileRootAbsorb, compileRootFetch } from './root-fetch';
import { inParallel, inSequence, noStep, type PlanStep } from './plan-step';
import { compileSubscriptionFetch } from './subgraph-fetch';

export interface CompiledPlan {
  /** Runs the plan. For a subscription, runs the rest of the plan after an event was absorbed. */
  readonly run: PlanStep;
  readonly subscription: CompiledSubscription | undefined;
}

export interface CompiledSubscription {
  open(state: ExecutionState): MaybePromise<SubgraphResult>;
  absorb(state: ExecutionState, event: SubgraphResponse): void;
}

/** Compiles a plan to functions. `planned` is `undefined` when there is nothing to fetch. */
export function compilePlan(
  deps: Omit<PlanCompilation, 'renames' | 'sentFields'>,
  planned: PlanNode | undefined,
): CompiledPlan {
  if (planned === undefined) return { run: noStep, subscription: undefined };
  const node = restoreFixedFields(planned, deps.facts.fixedFields);
  const compilation = { ...deps, renames: renamesOfPlan(node), sentFields: sentFieldsOfPlan(node) };
  const [first, ...rest] = node.kind === 'Sequence' ? node.nodes : [node];
  if (first?.kind !== 'Subscription') return { run: compileNode(compilation, node), subscription: undefined };
  return {
    run: inSequence(rest.map((each) => compileNode(compilation, each))),
    subscription: compileSubscription(compilation, first),
  };
}

function compileNode(compilation: PlanCompilation, node: PlanNode): PlanStep {
  const compileAll = (nodes: readonly PlanNode[]): PlanStep[] => nodes.map((each) => compileNode(compilation, each));
  switch (node.kind) {
    case 'Fetch':
      return compileRootFetch(compilation, node);
    case 'BatchFetch':
      return compileBatchFetch(compilation, node);
    case 'Flatten':
      return compileFlatten(compilation, node);
    case 'Sequence':
      return inSequence(compileAll(node.nodes));
    case 'Parallel':
      return inParallel(compileAll(node.nodes));
    case 'Condition':
      return compileCondition(compilation, node);
    case 'Subscription':
    case 'Defer':
      throw new InvariantError(`a ${node.kind} node inside a plan`);
  }
}

function compileFlatten(compilation: PlanCompilation, { path, node }: FlattenNode): PlanStep {
  if (node.kind !== 'Fetch') throw new InvariantError(`a Flatten node over a ${node.kind} node`);
  if (node.requires === undefined) return compileNestedRootFetch(compilation, node, path);
  const { requires, inputRewrites = [], outputRewrites = [] } = node;
  return compileEntityFetch(compilation, node, { paths: [path], requires, inputRewrites, outputRewrites });
}

function compileCondition(compilation: PlanCompilation, { condition, ifClause, elseClause }: ConditionNode): PlanStep {
  const compileClause = (clause: PlanNode | null | undefined): PlanStep =>
    clause === undefined || clause === null ? noStep : compileNode(compilation, clause); // an absent ifClause is null
  const whenTrue = compileClause(ifClause);
  const otherwise = compileClause(elseClause);
  return (state) => (state.variables[condition] === true ? whenTrue(state) : otherwise(state));
}

function compileSubscription(compilation: PlanCompilation, { primary }: SubscriptionNode): CompiledSubscription {
  const fetch = compileSubscriptionFetch(compilation, { ...primary, operationKind: 'subscription' });
  return { open: (state) => fetch.send(state, {}), absorb: compileRootAbsorb(compilation, primary, fetch) };
}
