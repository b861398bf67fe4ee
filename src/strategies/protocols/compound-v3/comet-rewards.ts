import { type Address, encodeFunctionData, type Hex, hexToBigInt, size, slice, toFunctionSelector } from 'viem';
import { ZERO_ADDRESS } from '../../../chains/addresses';
import { SECONDS_PER_YEAR } from '../../../money/ray';
import { contractRead } from '../../../rpc/contract-read';
import type { Strategy } from '../../strategy';
import type { StrategyRow } from '../../strategy-row';
import type { ClaimParameters, ProtocolCall, ProtocolRead, Resolution, RewardEmission } from '../protocol';
import { protocolRead } from '../protocol-read';
import { revertText } from '../revert-text';
import { TOO_FEW_REWARDS } from '../rewards';
import { COMET_ABI, COMET_REWARDS_ABI } from './comet-abi';

type Resolved = Extract<Resolution, { readonly kind: 'resolved' }>;

/** Adds the reward of the Comet. The row names the rewards contract, because a Comet does not. */
export function rewardsResolution({ market, rewards }: StrategyRow, resolved: Resolved): Resolution {
  if (rewards === undefined) return resolved;
  const call = { address: rewards, abi: COMET_REWARDS_ABI, args: [market] } as const;
  const read = protocolRead([contractRead({ ...call, functionName: 'rewardConfig' })], ([config]): Resolution => {
    const token = config?.[0];
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

/** Decimals in which a Comet counts what deposits earn, as a factor. The rewards contract converts them to those of the token. */
const ACCRUAL_SCALE = 10n ** 6n;
/** One, as a multiplier of the rewards contract. */
const FACTOR_SCALE = 10n ** 18n;
const WORD = 32;

/** What the Comet pays now for all deposits together: nothing below its minimum. Its rewards have no end. */
export function emissionsRead({
  contracts: { rewards },
  row: { market },
  rewardTokens = [],
}: Strategy): ProtocolRead<readonly RewardEmission[]> {
  const [token] = rewardTokens;
  if (rewards === undefined || token === undefined) return { reads: [], decode: () => [] };
  const comet = { address: market, abi: COMET_ABI } as const;
  const reads = [
    configRead(rewards, market),
    contractRead({ ...comet, functionName: 'totalsBasic' }),
    contractRead({ ...comet, functionName: 'baseTrackingSupplySpeed' }),
    contractRead({ ...comet, functionName: 'trackingIndexScale' }),
    contractRead({ ...comet, functionName: 'baseMinForRewards' }),
  ] as const;
  return protocolRead(reads, ([config, totals, speed, indexScale, minimum]) => {
    const isRead = totals !== undefined && speed !== undefined && indexScale !== undefined && minimum !== undefined;
    // The contract may pay another token since the strategy was read.
    if (config?.token !== token.address || !isRead) return [{ token, perYear: undefined }];
    const isPaid = totals.totalSupplyBase >= minimum;
    return [{ token, perYear: isPaid ? yearlyEmission({ config, speed, indexScale }) : 0n }];
  });
}

interface RewardConfig {
  readonly token: Address;
  readonly rescaleFactor: bigint;
  readonly shouldUpscale: boolean;
  readonly multiplier: bigint;
}

/** Versions without a multiplier pay what was earned. */
function configRead(rewards: Address, market: Address) {
  const read = contractRead({
    address: rewards,
    abi: COMET_REWARDS_ABI,
    functionName: 'rewardConfig',
    args: [market],
  });
  return {
    ...read,
    decode(data: Hex): RewardConfig {
      const [token, rescaleFactor, shouldUpscale] = read.decode(data);
      const multiplier = size(data) < 4 * WORD ? FACTOR_SCALE : hexToBigInt(slice(data, 3 * WORD, 4 * WORD));
      return { token, rescaleFactor, shouldUpscale, multiplier };
    },
  };
}

/** Base units of the reward token. `undefined` for a contract that would divide by zero. */
function yearlyEmission({
  config: { rescaleFactor, shouldUpscale, multiplier },
  speed,
  indexScale,
}: {
  readonly config: RewardConfig;
  readonly speed: bigint;
  readonly indexScale: bigint;
}): bigint | undefined {
  const [factor, divisor] = shouldUpscale ? [rescaleFactor, 1n] : [1n, rescaleFactor];
  const scale = indexScale * FACTOR_SCALE * divisor;
  if (scale === 0n) return undefined;
  return (speed * SECONDS_PER_YEAR * ACCRUAL_SCALE * factor * multiplier) / scale;
}

/** Claims what the wallet is owed, with what accrues until then. */
export const claimCall = (
  { row: { market } }: Pick<Strategy, 'row'>,
  { wallet, rewards }: ClaimParameters,
): ProtocolCall => ({
  to: rewards,
  data: encodeFunctionData({ abi: COMET_REWARDS_ABI, functionName: 'claim', args: [market, wallet, true] }),
  value: 0n,
  allowance: undefined,
});

/** What a revert of a claim means, by the error of the rewards contract. */
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
