import type { Address } from 'viem';
import { readingChain } from './lending-failure';
import type { OperationDeps } from './operation-deps';
import type { Lending, Withdrawal } from './resolved-operation';

type RouterDeps = Pick<OperationDeps, 'findRouter' | 'actionExpirySeconds'>;

/** The router of the chain of a strategy, if it has one. @throws LENDING_SERVICE_UNAVAILABLE when the chain does not respond */
export const findOperationRouter = (
  { findRouter }: RouterDeps,
  { strategy }: Lending | Withdrawal,
): Promise<Address | undefined> => readingChain(findRouter(strategy.chain));

/** Calls of the router succeed about as long as their action waits for them. */
export const routerDeadline = ({ actionExpirySeconds }: RouterDeps, blockTime: bigint): bigint =>
  blockTime + BigInt(actionExpirySeconds);
