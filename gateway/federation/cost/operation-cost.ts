import type { DocumentNode, FieldNode, FragmentDefinitionNode, OperationDefinitionNode } from 'graphql';
import { InvariantError } from '../../../src/errors/invariant-error';
import { serviceError } from '../../../src/errors/service-error';
import type { IntrospectionDeps } from '../document/introspection';
import { countIntrospectedValues } from '../document/introspection-size';
import { type CostExpression, evaluate, map, product, sum } from './cost-expression';
import { createRequestValues } from './request-values';
import { fragmentsOf, responseKeyOf } from '../document/document-parts';
import { rootFields, type RootSource } from './root-fields';
import type { SchemaCosts } from './schema-costs';
import { createFieldCost } from './selection-cost';

/** Units that one request of the rate limit pays for: as much as 500 actions. */
export const UNITS_PER_REQUEST = 5000;
/**
 * Root fields whose REST route returns more than `UNITS_PER_REQUEST` for one request: the overview of a wallet with a page of 500
 * actions. The first request pays for so many units of these fields, each of them once.
 */
const OVERVIEWS: Readonly<Partial<Record<string, { readonly units: number; readonly fields: ReadonlySet<string> }>>> = {
  wallet: {
    units: 25_000,
    fields: new Set(['__typename', 'address', 'firstSeenAt', 'tokens', 'earn', 'history']),
  },
};
/** Maximum cost of an operation in units: as much as 10,000 actions. */
export const MAX_UNITS = 100_000;

/** What an operation costs with given variables. */
export interface OperationCost {
  /** Weighted objects of the response, at most; and values of introspection. */
  readonly units: number;
  /** Requests to count against the rate limit: each root field is at least one, and one more for every 5,000 units. */
  readonly requests: number;
}

/** @throws DOCUMENT_LIMIT_EXCEEDED above the maximum. */
export type ComputeCost = (variables: Readonly<Record<string, unknown>>) => OperationCost;

export interface CostDeps extends IntrospectionDeps {
  readonly costs: SchemaCosts;
}

/** Compiles the cost of a valid operation. Only parts that depend on variables are computed for each request. */
export function compileOperationCost(
  deps: CostDeps,
  { document, operation }: { readonly document: DocumentNode; readonly operation: OperationDefinitionNode },
): ComputeCost {
  const { schema, costs } = deps;
  const rootType = schema.getRootType(operation.operation);
  if (rootType === undefined || rootType === null) throw new InvariantError('the operation has no root type');
  const fragments = fragmentsOf(document);
  const values = createRequestValues(operation);
  const costOf = createFieldCost({ schema, costs, fragments, values });
  const roots = rootFields(operation.selectionSet, { fragments, values });
  const charges = roots
    .filter(({ node }) => !isIntrospection(node))
    .map(({ node, included }) =>
      charge(costOf(node, rootType), included, { ofFirst: unitsOfFirstRequest(node, { fragments, values }) }),
    );
  const introspected = roots.filter(({ node }) => isIntrospection(node)).map(({ node }) => node);
  if (introspected.length > 0)
    charges.push(introspectionCharge(deps, operation, [introspected, [...fragments.values()]]));
  return totalOf(charges);
}

/** `undefined` for the usual number: the field is no overview, or has more than one. */
function unitsOfFirstRequest({ name, selectionSet }: FieldNode, source: RootSource): number | undefined {
  const overview = OVERVIEWS[name.value];
  if (overview === undefined || selectionSet === undefined) return undefined;
  const selected = rootFields(selectionSet, source).map(({ node }) => node);
  const names = new Set(selected.map((node) => node.name.value));
  const keys = new Set(selected.map(responseKeyOf));
  const isOverview = keys.size === names.size && [...names].every((each) => overview.fields.has(each));
  return isOverview ? overview.units : undefined;
}

/** Units and requests of a part of an operation. */
interface Charge {
  readonly units: CostExpression;
  readonly requests: CostExpression;
}

function charge(
  units: CostExpression,
  included: CostExpression,
  {
    minimum = 1,
    ofFirst = UNITS_PER_REQUEST,
  }: { readonly minimum?: number; readonly ofFirst?: number | undefined } = {},
): Charge {
  const further = ofFirst - UNITS_PER_REQUEST;
  const requests = map(units, (value) => Math.max(minimum, Math.ceil((value - further) / UNITS_PER_REQUEST)));
  return { units: product(included, units), requests: product(included, requests) };
}

function introspectionCharge(
  { schema, wellKnownIntrospection }: CostDeps,
  operation: OperationDefinitionNode,
  [fields, fragments]: readonly [readonly FieldNode[], readonly FragmentDefinitionNode[]],
): Charge {
  if (wellKnownIntrospection.find(fields, fragments) !== undefined) return charge(0, 1);
  const count = (variables: Readonly<Record<string, unknown>>): number =>
    countIntrospectedValues(schema, { operation, fields, fragments, variables });
  return charge((operation.variableDefinitions ?? []).length === 0 ? count({}) : count, 1, { minimum: fields.length });
}

function totalOf(charges: readonly Charge[]): ComputeCost {
  const units = sum(charges.map((each) => each.units));
  const requests = sum(charges.map((each) => each.requests));
  return (variables) => {
    const cost = { units: evaluate(units, variables), requests: Math.max(evaluate(requests, variables), 1) };
    if (cost.units > MAX_UNITS) {
      const details = { cost };
      throw serviceError('DOCUMENT_LIMIT_EXCEEDED', { maximum: MAX_UNITS, counted: 'units of cost' }, { details });
    }
    return cost;
  };
}

const isIntrospection = ({ name }: FieldNode): boolean => name.value === '__schema' || name.value === '__type';
