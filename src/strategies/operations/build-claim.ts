import type { Address } from 'viem';
import { isSameAddress } from '../../chains/addresses';
import { invariant } from '../../errors/invariant-error';
import { validationError } from '../../errors/validation';
import type { Token } from '../../tokens/token';
import type { StrategyHolding, Reward } from '../protocols/protocol';
import { lendingProblemError, unreadableError } from './lending-failure';
import type { OperationDeps } from './operation-deps';
import { protocolPart } from './protocol-part';
import { readProtocol } from './read-protocol';
import type { BuiltOperation, RewardClaim } from './resolved-operation';
import { simulateStrategyOperation } from './simulate-strategy-operation';

/** Rewards only grow until they are claimed: a hundredth covers a node that lags behind the one that stated the amount. */
const MARGIN = 100n;

/**
 * Builds and simulates the claim of all of one reward. It costs no fee.
 *
 * @throws LENDING_BAD_REQUEST, LENDING_SERVICE_UNAVAILABLE, VALIDATION_ERROR
 */
export async function buildClaim(deps: OperationDeps, claim: RewardClaim): Promise<BuiltOperation> {
  const { strategy, protocol, request, actionId, signal } = claim;
  const { chain, receipt, contracts } = strategy;
  const { wallet } = request;
  const { rewards } = contracts;
  invariant(protocol.claim !== undefined && rewards !== undefined, 'a strategy with rewards has claims');
  const holding = await readProtocol(deps.rpc, { strategy, read: protocol.holding(strategy, wallet) }, signal);
  const { token, amount } = rewardToClaim(holding, request.reward);
  const call = protocol.claim(strategy, { wallet, rewards, token: token.address as Address });
  const part = await protocolPart(deps.rpc, { kind: 'CLAIM', call, strategy, wallet, actionId, signal });
  const minimum = amount - amount / MARGIN;
  const simulated = await simulateStrategyOperation(deps.rpc, {
    chainId: chain.chainId,
    sender: wallet,
    parts: [part],
    expected: [
      { token, owner: wallet, atLeast: minimum },
      { token: receipt, owner: wallet, atLeast: 0n },
    ],
    stateOverrides: undefined,
    explainRevert: (reason) => protocol.explainClaimRevert?.(reason),
    signal,
  });
  return {
    ...simulated,
    paid: { token: receipt, amount: 0n },
    received: { token, amount, minimum },
    assets: 0n,
    statedAssets: undefined,
    fees: [],
    waiver: undefined,
    isRouted: false,
    swap: undefined,
  };
}

/**
 * The reward that was named, or the only one that the wallet may claim. While another one cannot be read, it may not be the only one.
 *
 * @throws LENDING_BAD_REQUEST, LENDING_SERVICE_UNAVAILABLE, VALIDATION_ERROR
 */
export function rewardToClaim(
  { rewards = [], unreadRewards = [] }: Pick<StrategyHolding, 'rewards' | 'unreadRewards'>,
  reward: string | undefined,
): Reward {
  const isRequested = ({ address }: Token): boolean => reward === undefined || isSameAddress(address, reward);
  const unread = unreadRewards.find(isRequested);
  if (unread !== undefined) throw unreadableError(`the reward ${unread.symbol} (${unread.address})`);
  const claimable = rewards.filter(({ token }) => isRequested(token));
  const [first, second] = claimable;
  if (first === undefined)
    throw lendingProblemError({ kind: 'NO_REWARDS', message: 'The wallet has no rewards to claim in this strategy.' });
  if (second === undefined) return first;
  const names = claimable.map(({ token: { symbol, address } }) => `${symbol} (${address})`).join(', ');
  const message = `is required: the wallet has several rewards to claim: ${names}`;
  throw validationError([{ path: 'toTokenAddress', message }]);
}
