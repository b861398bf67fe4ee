import { type Address, encodeFunctionData, toFunctionSelector } from 'viem';
import { ZERO_ADDRESS } from '../../../chains/addresses';
import { contractRead } from '../../../rpc/contract-read';
import type { Strategy } from '../../strategy';
import type { StrategyRow } from '../../strategy-row';
import type { ClaimRequest, ProtocolCall, Resolution } from '../protocol';
import { protocolRead } from '../protocol-read';
import { revertText } from '../revert-text';
import { TOO_FEW_REWARDS } from '../rewards';
import { COMET_REWARDS_ABI } from './comet-abi';

type Resolved = Extract<Resolution, { readonly kind: 'resolved' }>;

/** Adds the reward of the Comet. The row names the contract that pays it, because a Comet does not. */
export function rewardsResolution({ market, rewards }: StrategyRow, resolved: Resolved): Resolution {
  if (rewards === undefined) return resolved;
  const call = { address: rewards, abi: COMET_REWARDS_ABI, args: [market] } as const;
  const read = protocolRead([contractRead({ ...call, functionName: 'rewardConfig' })], ([token]): Resolution => {
    if (token === undefined || token === ZERO_ADDRESS) return resolved;
    return { ...resolved, contracts: { ...resolved.contracts, rewards }, rewardTokens: [token] };
  });
  return { kind: 'next', read };
}

/** What the wallet may claim, in base units. */
export function rewardReads({ contracts: { rewards }, row: { market } }: Strategy, wallet: Address) {
  if (rewards === undefined) return [];
  const call = { address: rewards, abi: COMET_REWARDS_ABI, args: [market, wallet] } as const;
  const read = contractRead({ ...call, functionName: 'getRewardOwed' });
  return [{ ...read, decode: (data: Parameters<typeof read.decode>[0]) => read.decode(data).owed }];
}

/** Claims what the wallet is owed, with what accrues until then. */
export const claimCall = (
  { row: { market } }: Pick<Strategy, 'row'>,
  { wallet, rewards }: ClaimRequest,
): ProtocolCall => ({
  to: rewards,
  data: encodeFunctionData({ abi: COMET_REWARDS_ABI, functionName: 'claim', args: [market, wallet, true] }),
  value: 0n,
  allowance: undefined,
});

/** What a revert of a claim means, by the error of the contract that pays. */
const MEANINGS: readonly (readonly [error: string, meaning: string])[] = [
  ['NotSupported(address)', 'The market pays no rewards.'],
  ['TransferOutFailed(address,uint256)', TOO_FEW_REWARDS],
];

/** A node states an error as its name with the arguments, or as its selector. */
export function explainClaimRevert(reason: string): string | undefined {
  const text = revertText(reason);
  const isOf = (error: string): boolean =>
    text.startsWith(error.slice(0, error.indexOf('(') + 1)) || text.includes(toFunctionSelector(error));
  return MEANINGS.find(([error]) => isOf(error))?.[1];
}
