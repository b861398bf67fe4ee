import type { FastifyRequest } from 'fastify';
import { type OperationCost, UNITS_PER_REQUEST } from '../../federation/cost/operation-cost';

/** Header that requests `extensions.cost`. */
export const COST_HEADER = 'x-graphql-cost';

/** Part of a response. */
export interface CostExtension {
  readonly extensions?: { readonly cost: OperationCost & { readonly unitsPerRequest: number } };
}

/** The cost of the operation, when the caller requested it; nothing before it was computed. */
export function costExtension({ headers, scope }: FastifyRequest): CostExtension {
  const { cost } = scope;
  if (cost === undefined || headers[COST_HEADER] === undefined) return {};
  const { units, requests } = cost;
  return { extensions: { cost: { units, requests, unitsPerRequest: UNITS_PER_REQUEST } } };
}
