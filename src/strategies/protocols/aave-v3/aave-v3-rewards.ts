import { type Address, encodeFunctionData } from 'viem';
import { ZERO_ADDRESS } from '../../../chains/addresses';
import { MAX_BASE_UNITS } from '../../../money/base-units';
import { SECONDS_PER_YEAR } from '../../../money/ray';
import { contractRead } from '../../../rpc/contract-read';
import type { Strategy } from '../../strategy';
import type { ClaimParameters, ProtocolCall, ProtocolRead, Resolution, RewardEmission } from '../protocol';
import { protocolRead } from '../protocol-read';
import { revertText } from '../revert-text';
import { MAX_REWARD_TOKENS, TOO_FEW_REWARDS } from '../rewards';
import { A_TOKEN_ABI, REWARDS_CONTROLLER_ABI } from './aave-v3-abi';

type Resolved = Extract<Resolution, { readonly kind: 'resolved' }>;

/** Adds the rewards that the controller of the aToken pays, or has paid, for deposits. A market may have no controller. */
export function rewardsResolution(resolved: Resolved): Resolution {
  const { receipt } = resolved;
  const read = protocolRead(
    [contractRead({ address: receipt, abi: A_TOKEN_ABI, functionName: 'getIncentivesController' })],
    ([controller]): Resolution =>
      controller === undefined || controller === ZERO_ADDRESS ? resolved : tokensResolution(resolved, controller),
  );
  return { kind: 'next', read };
}

function tokensResolution(resolved: Resolved, rewards: Address): Resolution {
  const call = { address: rewards, abi: REWARDS_CONTROLLER_ABI, args: [resolved.receipt] } as const;
  const read = protocolRead(
    [contractRead({ ...call, functionName: 'getRewardsByAsset' })],
    ([tokens = []]): Resolution => {
      // The controller keeps those that have ended, before the later ones.
      const rewardTokens = tokens.slice(-MAX_REWARD_TOKENS);
      if (rewardTokens.length === 0) return resolved;
      return { ...resolved, contracts: { ...resolved.contracts, rewards }, rewardTokens };
    },
  );
  return { kind: 'next', read };
}

/** What the wallet may claim of each reward of the strategy, in base units. */
export function rewardReads({ contracts, receipt, rewardTokens = [] }: Strategy, wallet: Address) {
  const { rewards } = contracts;
  if (rewards === undefined) return [];
  return rewardTokens.map((token) =>
    contractRead({
      address: rewards,
      abi: REWARDS_CONTROLLER_ABI,
      functionName: 'getUserRewards',
      args: [[receipt.address as Address], wallet, token.address as Address],
    }),
  );
}

/** What the controller pays now for all aTokens together. A distribution that has ended pays nothing. */
export function emissionsRead({
  contracts: { rewards },
  receipt,
  rewardTokens = [],
}: Strategy): ProtocolRead<readonly RewardEmission[]> {
  const paid = rewards === undefined ? [] : rewardTokens;
  const reads = paid.map((token) =>
    contractRead({
      address: rewards ?? ZERO_ADDRESS,
      abi: REWARDS_CONTROLLER_ABI,
      functionName: 'getRewardsData',
      args: [receipt.address as Address, token.address as Address],
    }),
  );
  return protocolRead(reads, (results, { timestamp }) =>
    paid.map((token, index): RewardEmission => {
      const data = results[index];
      if (data === undefined) return { token, perYear: undefined };
      const [, perSecond, , endsAt] = data;
      return { token, perYear: timestamp < endsAt ? perSecond * SECONDS_PER_YEAR : 0n, endsAt };
    }),
  );
}

/** Claims all of one reward. The controller pays no more than it owes. */
export const claimCall = (
  { receipt }: Pick<Strategy, 'receipt'>,
  { wallet, token, rewards }: ClaimParameters,
): ProtocolCall => ({
  to: rewards,
  data: encodeFunctionData({
    abi: REWARDS_CONTROLLER_ABI,
    functionName: 'claimRewards',
    args: [[receipt.address as Address], MAX_BASE_UNITS, wallet, token],
  }),
  value: 0n,
  allowance: undefined,
});

export const explainClaimRevert = (reason: string): string | undefined =>
  revertText(reason) === 'TRANSFER_ERROR' ? TOO_FEW_REWARDS : undefined;
