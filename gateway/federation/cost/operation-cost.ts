import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { InvariantError } from '../../../src/errors/invariant-error';
import { serviceError } from '../../../src/errors/service-error';
import type { IntrospectionDeps } from '../document/introspection';
import { countIntrospectedValues } from '../document/introspection-size';
import { type CostExpression, evaluate, map, product, sum } from './cost-expression';
import { createRequestValues, type RequestValues } from './request-values';
import type { SchemaCosts } from './schema-costs';
import { createFieldCost } from './selection-cost';

/** Units that one request of the rate limit pays for: as much as 500 actions. */
export const UNITS_PER_REQUEST = 5000;
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
  const definitions = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  const fragments = new Map(definitions.map((fragment) => [fragment.name.value, fragment]));
  const values = createRequestValues(operation);
  const costOf = createFieldCost({ schema, costs, fragments, values });
  const roots = rootFields(operation.selectionSet, { fragments, values }, 1);
  const charges = roots
    .filter(({ node }) => !isIntrospection(node))
    .map(({ node, included }) => charge(costOf(node, rootType), included));
  const introspected = roots.filter(({ node }) => isIntrospection(node)).map(({ node }) => node);
  if (introspected.length > 0) charges.push(introspectionCharge(deps, operation, [introspected, definitions]));
  return totalOf(charges);
}

/** Units and requests of a part of an operation. */
interface Charge {
  readonly units: CostExpression;
  readonly requests: CostExpression;
}

function charge(units: CostExpression, included: CostExpression, minimum = 1): Charge {
  const requests = map(units, (value) => Math.max(minimum, Math.ceil(value / UNITS_PER_REQUEST)));
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
  return charge((operation.variableDefinitions ?? []).length === 0 ? count({}) : count, 1, fields.length);
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

interface RootField {
  readonly node: FieldNode;
  /** 1 when the conditions of the field and of its fragments hold, else 0. */
  readonly included: CostExpression;
}

interface RootSource {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly values: RequestValues;
}

function rootFields(set: SelectionSetNode, source: RootSource, included: CostExpression): readonly RootField[] {
  return set.selections.flatMap((selection) => {
    const both = product(included, source.values.isIncluded(selection));
    if (selection.kind === Kind.FIELD) return [{ node: selection, included: both }];
    const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : source.fragments.get(selection.name.value);
    return fragment === undefined ? [] : rootFields(fragment.selectionSet, source, both);
  });
}

const isIntrospection = ({ name }: FieldNode): boolean => name.value === '__schema' || name.value === '__type';
