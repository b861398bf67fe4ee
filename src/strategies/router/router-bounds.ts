import type { BaseUnits } from '../../money/base-units';
import { addShare, parseSlippage, partOf, type PartsPerMillion } from '../../money/slippage';
import type { Strategy } from '../strategy';

/** How far an operation may be from its preview when the caller sets no slippage: 0.3 %. */
const DEFAULT_BOUND = 3000n as PartsPerMillion;
/** Vaults of Yearn: a loss that is more than rounding, 0.01 %. Their redeem without a bound of its own accepts any loss. */
const LOSS_BOUND = 100n as PartsPerMillion;
const NO_BOUND = 0n as PartsPerMillion;
/** What a token that grows may earn until the transaction is mined: a day at 100 % a year. */
const GROWTH = 3000n as PartsPerMillion;

/** The part of an amount that a deposit or withdrawal may bring less than its preview: only the price of vault shares moves. */
function boundOf({ row }: Strategy, slippage: string | undefined): PartsPerMillion {
  if (row.protocol !== 'erc4626') return NO_BOUND;
  return (slippage === undefined ? undefined : parseSlippage(slippage)) ?? DEFAULT_BOUND;
}

/** The part of the receipt tokens that a deposit may bring less. */
export const depositLoss = (strategy: Strategy, amount: bigint, slippage: string | undefined): bigint =>
  partOf(amount, boundOf(strategy, slippage));

/** The part of the assets that a withdrawal may bring less. */
export function withdrawalLoss(strategy: Strategy, amount: bigint, slippage: string | undefined): bigint {
  const bound = boundOf(strategy, slippage);
  const isLossBound = strategy.contracts['lossBound'] !== undefined && bound > LOSS_BOUND;
  return partOf(amount, isLossBound ? LOSS_BOUND : bound);
}

/** An amount of a token that grows, with its growth until it is mined. */
export const grown = (amount: bigint): bigint => addShare(amount as BaseUnits, GROWTH);
