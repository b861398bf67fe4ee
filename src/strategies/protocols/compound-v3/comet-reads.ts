import { type Address, erc20Abi } from 'viem';
import { contractRead } from '../../../rpc/contract-read';
import type { Strategy } from '../../strategy';
import type { MarketState, ReadBlock } from '../protocol';
import { COMET_ABI } from './comet-abi';
import { indexAsRay, presentValue, supplyIndexAt, supplyRate, yearlyRateRay } from './comet-index';

export const cometOf = ({ row }: Strategy) => ({ address: row.market, abi: COMET_ABI }) as const;

export function marketReads(strategy: Strategy) {
  const comet = cometOf(strategy);
  return [
    contractRead({ ...comet, functionName: 'totalsBasic' }),
    contractRead({ ...comet, functionName: 'getUtilization' }),
    contractRead({ ...comet, functionName: 'supplyKink' }),
    contractRead({ ...comet, functionName: 'supplyPerSecondInterestRateBase' }),
    contractRead({ ...comet, functionName: 'supplyPerSecondInterestRateSlopeLow' }),
    contractRead({ ...comet, functionName: 'supplyPerSecondInterestRateSlopeHigh' }),
    contractRead({ ...comet, functionName: 'isSupplyPaused' }),
    contractRead({ ...comet, functionName: 'isWithdrawPaused' }),
    tokenRead(strategy, strategy.row.market),
  ] as const;
}

export const tokenRead = ({ row }: Strategy, owner: Address) =>
  contractRead({ address: row.underlying, abi: erc20Abi, functionName: 'balanceOf', args: [owner] });

export function walletReads(strategy: Strategy, wallet: Address) {
  const comet = { ...cometOf(strategy), args: [wallet] } as const;
  return [
    contractRead({ ...comet, functionName: 'userBasic' }),
    contractRead({ ...comet, functionName: 'balanceOf' }),
    contractRead({ ...comet, functionName: 'borrowBalanceOf' }),
  ] as const;
}

type Results<Reads extends readonly { decode: (data: never) => unknown }[]> = {
  readonly [Index in keyof Reads]: ReturnType<Reads[Index]['decode']> | undefined;
};

export type MarketResults = Results<ReturnType<typeof marketReads>>;

export interface CometMarket {
  readonly state: MarketState;
  /** Index of deposits at the block, with 15 decimals. */
  readonly index: bigint;
  /** Base tokens in the Comet. */
  readonly liquidity: bigint;
}

/** `undefined` when a read has failed, or the contract states no index. */
export function marketOf(results: MarketResults, { timestamp }: ReadBlock): CometMarket | undefined {
  const [totals, utilization, kink, base, slopeLow, slopeHigh, isSupplyPaused, isWithdrawPaused, liquidity] = results;
  const curve = allKnown({ utilization, kink, base, slopeLow, slopeHigh });
  if (totals === undefined || curve === undefined || liquidity === undefined) return undefined;
  if (isSupplyPaused === undefined || isWithdrawPaused === undefined) return undefined;
  const rate = supplyRate(curve);
  const stored = { index: totals.baseSupplyIndex, accruedAt: totals.lastAccrualTime, rate };
  const index = supplyIndexAt(stored, timestamp);
  if (index === 0n) return undefined;
  return {
    state: {
      sharePriceRay: indexAsRay(index),
      yearlyRateRay: yearlyRateRay(rate),
      tvl: presentValue(totals.totalSupplyBase, index),
      liquidity,
      depositLimit: undefined,
      acceptsDeposits: !isSupplyPaused,
      allowsWithdrawals: !isWithdrawPaused,
    },
    index,
    liquidity,
  };
}

type Known<Fields> = { readonly [Field in keyof Fields]: NonNullable<Fields[Field]> };

/** The same object when all of its fields are there. */
function allKnown<Fields extends Record<string, bigint | undefined>>(fields: Fields): Known<Fields> | undefined {
  const isKnown = (candidate: Fields): candidate is Fields & Known<Fields> =>
    Object.values(candidate).every((value) => value !== undefined);
  return isKnown(fields) ? fields : undefined;
}
