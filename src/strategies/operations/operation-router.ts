import type { Address } from 'viem';
import { isRouted } from '../router/router-calls';
import { readingChain } from './lending-failure';
import type { OperationDeps } from './operation-deps';
import type { Lending, Withdrawal } from './resolved-operation';

type RouterDeps = Pick<OperationDeps, 'findRouter' | 'actionExpirySeconds'>;

/**
 * The router of the chain of a strategy; `undefined` when the chain has none, or the router has no calls for the protocol.
 *
 * @throws LENDING_SERVICE_UNAVAILABLE when the chain does not respond
 */
export const findOperationRouter = (
  { findRouter }: RouterDeps,
  { strategy }: Lending | Withdrawal,
): Promise<Address | undefined> =>
  isRouted(strategy.row.protocol) ? readingChain(findRouter(strategy.chain)) : Promise.resolve(undefined);

/** Calls of the router succeed about as long as their action waits for them. */
export const routerDeadline = ({ actionExpirySeconds }: RouterDeps, blockTime: bigint): bigint =>
  blockTime + BigInt(actionExpirySeconds);
