import type { BatchFetchNode, FetchNode, PlanNode, RequiresSelection } from '@graphql-hive/router-query-planner';
import { type DocumentNode, type GraphQLSchema, Kind, parse, type SelectionSetNode } from 'graphql';
import { fragmentsOf, responseKeyOf } from '../document/document-parts';
import type { OperationTree } from '../document/operation-tree';
import type { FlattenPath } from '../plan/flatten-path';
import { renamesOfPlan } from '../plan/plan-compilation';
import { renamedKeys } from '../plan/rewrites';
import type { SupergraphFacts } from '../supergraph-facts';
import type { SupergraphTypes } from '../supergraph-types';
import { checkCoverage } from './check-coverage';
import type { FetchSource } from './fill-planned-data';
import { newObject, type PlannedData } from './planned-data';
import { sentPaths } from './planned-representation';
import { fillTarget, type Target, targetsAt } from './planned-targets';

export interface CheckedPlan {
  readonly node: PlanNode;
  readonly tree: OperationTree;
  /** Public schema. */
  readonly schema: GraphQLSchema;
  readonly facts: SupergraphFacts;
}

/**
 * Finds a reason why a plan would return a wrong value: a selected field that is not fetched for objects of some type, a key
 * that is filled with different values, or a field that is fetched without what it requires. `undefined` when there is none.
 *
 * Follows the plan with types instead of objects. Graphs that have neither abstract types nor `@requires` are not checked.
 */
export function problemOfPlan({ node, tree, schema, facts }: CheckedPlan): string | undefined {
  const type = schema.getRootType(tree.operation.operation);
  const { types } = facts;
  if (types === undefined || type === undefined || type === null) return undefined;
  const data: PlannedData = { root: newObject(new Set([type.name])), steps: 0, problem: undefined };
  followNode({ data, types, facts, renames: renamesOfPlan(node) }, node)();
  if (data.problem === undefined) checkCoverage({ data, schema, facts }, type, tree.selections);
  return data.problem;
}

interface Following {
  readonly data: PlannedData;
  readonly types: SupergraphTypes;
  readonly facts: SupergraphFacts;
  /** Renames by output rewrites of the plan, as `key>new key`. */
  readonly renames: ReadonlySet<string>;
}

/** Adds the responses to the requests of a node. */
type Receive = () => void;

const receiveNothing: Receive = () => undefined;

/** Prepares the requests of a node from the data before it. */
function followNode(following: Following, node: PlanNode): Receive {
  switch (node.kind) {
    case 'Sequence':
      return followInTurn(following, node.nodes);
    case 'Parallel':
      return together(node.nodes.map((each) => followNode(following, each)));
    case 'Condition':
      return followInTurn(following, [node.ifClause, node.elseClause]);
    case 'Fetch':
      return followFetch(following, node, []);
    case 'Subscription':
      return followFetch(following, node.primary, []);
    case 'Flatten':
      return node.node.kind === 'Fetch' ? followFetch(following, node.node, node.path) : receiveNothing;
    case 'BatchFetch':
      return followBatch(following, node);
    case 'Defer':
      return receiveNothing;
  }
}

function followInTurn(following: Following, nodes: readonly (PlanNode | null | undefined)[]): Receive {
  for (const node of nodes) if (node) followNode(following, node)(); // an absent clause is null
  return receiveNothing;
}

const together =
  (all: readonly Receive[]): Receive =>
  () =>
    all.forEach((receive) => receive());

function followFetch(following: Following, node: FetchNode, path: FlattenPath): Receive {
  const document = parse(node.operation, { noLocation: true });
  const fetch = fetchSource(following, node, document);
  const { requires } = node;
  if (requires !== undefined) {
    return followLookup(following, fetch, { paths: [path], requires, set: entitySet(document, '_entities') });
  }
  const targets = targetsAt(following.data, path, following.facts);
  const filled = { set: rootSet(document), sent: new Set<string>() };
  return () => targets.forEach((target) => fillTarget(fetch, target, filled));
}

function followBatch(following: Following, { serviceName, operation, entityBatch }: BatchFetchNode): Receive {
  const document = parse(operation, { noLocation: true });
  return together(
    entityBatch.aliases.map(({ alias, paths, requires, outputRewrites = [] }) => {
      const fetch = fetchSource(following, { serviceName, outputRewrites }, document);
      return followLookup(following, fetch, { paths, requires, set: entitySet(document, alias) });
    }),
  );
}

function fetchSource(
  { data, types }: Following,
  { serviceName, outputRewrites }: Pick<FetchNode, 'serviceName' | 'outputRewrites'>,
  document: DocumentNode,
): FetchSource {
  return { data, types, subgraph: serviceName, fragments: fragmentsOf(document), renames: renamedKeys(outputRewrites) };
}

const NO_SELECTIONS: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: [] };

const rootSet = ({ definitions }: DocumentNode): SelectionSetNode =>
  definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION)?.selectionSet ?? NO_SELECTIONS;

/** The selections of the entities under a key of the response. */
function entitySet(document: DocumentNode, key: string): SelectionSetNode {
  const fields = rootSet(document).selections.filter((selection) => selection.kind === Kind.FIELD);
  return fields.find((field) => responseKeyOf(field) === key)?.selectionSet ?? NO_SELECTIONS;
}

interface Lookup {
  readonly paths: readonly FlattenPath[];
  readonly requires: readonly RequiresSelection[];
  /** The selections of the entities. */
  readonly set: SelectionSetNode;
}

interface SentTarget {
  readonly target: Target;
  /** Paths in the representation. */
  readonly sent: ReadonlySet<string>;
}

function followLookup(following: Following, fetch: FetchSource, { paths, requires, set }: Lookup): Receive {
  const { data, facts } = following;
  const targets = paths.flatMap((path) => targetsAt(data, path, facts));
  const requests = targets.flatMap((target) =>
    sentPaths({ ...following, requires }, target).map(({ types, sent }): SentTarget => {
      const above = target.types.slice(0, -1);
      return { target: { ...target, types: [...above, types] }, sent };
    }),
  );
  return () => requests.forEach(({ target, sent }) => fillTarget(fetch, target, { set, sent }));
}
