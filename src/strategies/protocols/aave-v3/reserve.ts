import type { ContractFunctionReturnType } from 'viem';
import { divideUp } from '../../../money/divide-up';
import { maxBigInt } from '../../../money/min-max';
import { multiplyRayDown, multiplyRayHalfUp, multiplyRayUp, RAY, SECONDS_PER_YEAR } from '../../../money/ray';
import type { ReadBlock } from '../protocol';
import type { POOL_ABI } from './aave-v3-abi';

/** A reserve as the Pool stores it: its index and rate are those of the last change. */
export type StoredReserve = ContractFunctionReturnType<typeof POOL_ABI, 'view', 'getReserveData'>;

/** Bits of the configuration word, the same in every version. */
const ACTIVE = 56n;
const FROZEN = 57n;
const PAUSED = 60n;
const hasBit = (word: bigint, bit: bigint): boolean => ((word >> bit) & 1n) === 1n;
const bitsOf = (word: bigint, from: bigint, count: bigint): bigint => (word >> from) & ((1n << count) - 1n);

const ALL_BASIS_POINTS = 10_000n;
/** Time until a deposit is mined: its interest must fit below the cap as well. */
const INCLUSION_SECONDS = 600n;

export interface ReserveFlags {
  readonly isActive: boolean;
  /** A frozen reserve takes no deposits; withdrawals go on. */
  readonly isFrozen: boolean;
  readonly isPaused: boolean;
}

export const reserveFlags = ({ configuration }: Pick<StoredReserve, 'configuration'>): ReserveFlags => ({
  isActive: hasBit(configuration, ACTIVE),
  isFrozen: hasBit(configuration, FROZEN),
  isPaused: hasBit(configuration, PAUSED),
});

export type AccruingReserve = Pick<StoredReserve, 'liquidityIndex' | 'currentLiquidityRate'> & {
  readonly lastUpdateTimestamp: number;
};

/** The liquidity index at a block, to the digit as the Pool computes it: linear since the last change. */
export function liquidityIndexAt(reserve: AccruingReserve, { timestamp }: Pick<ReadBlock, 'timestamp'>): bigint {
  const seconds = timestamp - BigInt(reserve.lastUpdateTimestamp);
  if (seconds <= 0n) return reserve.liquidityIndex;
  const growth = RAY + (reserve.currentLiquidityRate * seconds) / SECONDS_PER_YEAR;
  return multiplyRayHalfUp(growth, reserve.liquidityIndex);
}

export interface CappedReserve extends AccruingReserve, Pick<StoredReserve, 'configuration' | 'accruedToTreasury'> {
  readonly scaledSupply: bigint;
  /** The index at the block of the reads. */
  readonly index: bigint;
}

/**
 * What may still be deposited below the supply cap, in base units; `undefined` without a cap. The part of the treasury counts
 * to the cap, also the one that the next change of the reserve adds.
 */
export function roomBelowCap(reserve: CappedReserve): bigint | undefined {
  const { configuration, scaledSupply, accruedToTreasury, index, liquidityIndex, currentLiquidityRate } = reserve;
  const capInTokens = bitsOf(configuration, 116n, 36n);
  if (capInTokens === 0n) return undefined;
  const cap = capInTokens * 10n ** bitsOf(configuration, 48n, 8n);
  const supply = multiplyRayUp(scaledSupply + accruedToTreasury, index);
  const interest = multiplyRayUp(scaledSupply, index - liquidityIndex);
  const expected = divideUp(multiplyRayUp(supply, currentLiquidityRate) * INCLUSION_SECONDS, SECONDS_PER_YEAR);
  const treasury = shareOfTreasury(configuration, interest + expected);
  return maxBigInt(0n, cap - supply - expected - treasury - 1n);
}

/** What the treasury gets while depositors get `interest`. */
function shareOfTreasury(configuration: bigint, interest: bigint): bigint {
  const factor = bitsOf(configuration, 64n, 16n);
  return factor >= ALL_BASIS_POINTS ? 0n : divideUp(interest * factor, ALL_BASIS_POINTS - factor);
}

/** Assets of scaled tokens. Rounded down, as since version 3.5; versions before it round half up. */
export const assetsOf = (scaled: bigint, index: bigint): bigint => multiplyRayDown(scaled, index);

/** Borrowing flags of a user's configuration: every other bit. */
const BORROWING = BigInt(`0x${'5'.repeat(64)}`);
export const hasDebt = (userConfiguration: bigint): boolean => (userConfiguration & BORROWING) !== 0n;
