import { type Address, encodeFunctionData, erc20Abi } from 'viem';
import { ZERO_ADDRESS } from '../../../chains/addresses';
import { MAX_BASE_UNITS } from '../../../money/base-units';
import { minBigInt } from '../../../money/min-max';
import { divideRayDown } from '../../../money/ray';
import { contractRead } from '../../../rpc/contract-read';
import type { Strategy } from '../../strategy';
import type { StrategyRow } from '../../strategy-row';
import * as problems from '../problems';
import type {
  StrategyHolding,
  LendParameters,
  MarketState,
  Preview,
  Protocol,
  ProtocolProblem,
  ProtocolRead,
  ReadBlock,
  Resolution,
  WithdrawAmount,
} from '../protocol';
import { protocolRead } from '../protocol-read';
import { withEmissions, withRewards } from '../rewards';
import { aaveV3Events } from './aave-v3-events';
import { A_TOKEN_ABI, ADDRESSES_PROVIDER_ABI, POOL_ABI } from './aave-v3-abi';
import { explainAaveRevert } from './aave-v3-reverts';
import { claimCall, emissionsRead, explainClaimRevert, rewardReads, rewardsResolution } from './aave-v3-rewards';
import {
  assetsOf,
  reserveFlags,
  hasDebt,
  liquidityIndexAt,
  type ReserveFlags,
  roomBelowCap,
  type StoredReserve,
} from './reserve';

/**
 * Aave V3, versions 3.0 to 3.7. The row names the PoolAddressesProvider, because the other contracts may be replaced.
 * Shares are scaled aTokens: their price is the liquidity index.
 */
export const aaveV3: Protocol = {
  name: 'aave-v3',
  resolution: (row) => ({
    kind: 'next',
    read: protocolRead(
      [contractRead({ address: row.market, abi: ADDRESSES_PROVIDER_ABI, functionName: 'getPool' })],
      ([pool]) => (pool === undefined ? undefined : reserveResolution(row, pool)),
    ),
  }),
  market: (strategy) =>
    withEmissions(
      protocolRead(marketReads(strategy), (results, block) => marketOf(results, block)?.state),
      emissionsRead(strategy),
    ),
  holding: (strategy, wallet) => withRewards(strategy, depositRead(strategy, wallet), rewardReads(strategy, wallet)),
  lendPreview: (strategy, request) =>
    protocolRead(
      [...marketReads(strategy), balanceRead(strategy, request.wallet)],
      ([reserve, supply, liquidity, tokens], block) => {
        const market = marketOf([reserve, supply, liquidity], block);
        if (market === undefined || tokens === undefined) return;
        const shares = divideRayDown(request.assets, market.state.sharePriceRay);
        const problem = lendProblem(strategy, { ...market, assets: request.assets, shares, tokens });
        return { assets: request.assets, shares, problem };
      },
    ),
  lend: (strategy, request) => ({
    to: poolOf(strategy),
    data: encodeFunctionData({
      abi: POOL_ABI,
      functionName: 'supply',
      args: [strategy.row.underlying, request.assets, request.receiver, 0],
    }),
    value: 0n,
    allowance: { token: strategy.row.underlying, spender: poolOf(strategy), amount: request.assets },
  }),
  withdrawPreview: (strategy, request) =>
    protocolRead(
      [...marketReads(strategy), ...walletReads(strategy, request.wallet)],
      ([reserve, supply, liquidity, scaled, value], block) => {
        const market = marketOf([reserve, supply, liquidity], block);
        if (market === undefined || scaled === undefined || value === undefined) return;
        const amounts = withdrawnAmounts(request.amount, { scaled, value, index: market.state.sharePriceRay });
        return { ...amounts, problem: withdrawProblem(strategy, { ...market, ...amounts, value, scaled }) };
      },
    ),
  withdraw: (strategy, request, preview) => ({
    to: poolOf(strategy),
    data: encodeFunctionData({
      abi: POOL_ABI,
      functionName: 'withdraw',
      // The largest integer is the whole balance at the time of execution.
      args: [strategy.row.underlying, preview.isWhole === true ? MAX_BASE_UNITS : preview.assets, request.receiver],
    }),
    value: 0n,
    allowance: undefined,
  }),
  claim: claimCall,
  explainRevert: explainAaveRevert,
  explainClaimRevert,
  events: aaveV3Events,
};

/** Since version 3.1 the Pool counts what it can pay by itself: tokens that were sent to the aToken are not part of it. */
function reserveResolution(row: StrategyRow, pool: Address): Resolution {
  const call = { address: pool, abi: POOL_ABI, args: [row.underlying] } as const;
  const read = protocolRead(
    [
      contractRead({ ...call, functionName: 'getReserveData' }),
      contractRead({ ...call, functionName: 'getVirtualUnderlyingBalance' }),
    ],
    ([reserve, virtualBalance]): Resolution | undefined => {
      if (reserve === undefined) return undefined;
      if (reserve.aTokenAddress === ZERO_ADDRESS)
        return { kind: 'refused', reason: `The Aave market ${row.market} does not list the token ${row.underlying}.` };
      const contracts = virtualBalance === undefined ? { pool } : { pool, virtualBalances: pool };
      return rewardsResolution({ kind: 'resolved', contracts, receipt: reserve.aTokenAddress });
    },
  );
  return { kind: 'next', read };
}

const depositRead = (strategy: Strategy, wallet: Address): ProtocolRead<StrategyHolding> =>
  protocolRead(
    [...marketReads(strategy), ...walletReads(strategy, wallet)],
    ([reserve, supply, liquidity, shares, value, configuration, account], block) => {
      const market = marketOf([reserve, supply, liquidity], block);
      if (market === undefined || shares === undefined || value === undefined || configuration === undefined) return;
      return {
        shares,
        value,
        receiptBalance: value,
        availableToWithdraw: withdrawableOf(market, value),
        isAvailableTrusted: true,
        // A broken oracle must not hide that there is a debt.
        debt: hasDebt(configuration) ? (account?.[1] ?? 1n) : 0n,
      };
    },
  );

const poolOf = ({ contracts, row }: Strategy): Address => contracts['pool'] ?? row.market;
const aTokenOf = ({ receipt }: Strategy): Address => receipt.address as Address;

const balanceRead = ({ row }: Strategy, owner: Address) =>
  contractRead({ address: row.underlying, abi: erc20Abi, functionName: 'balanceOf', args: [owner] });

function marketReads(strategy: Strategy) {
  const pool = { address: poolOf(strategy), abi: POOL_ABI } as const;
  const args = [strategy.row.underlying] as const;
  return [
    contractRead({ ...pool, functionName: 'getReserveData', args }),
    contractRead({ address: aTokenOf(strategy), abi: A_TOKEN_ABI, functionName: 'scaledTotalSupply' }),
    strategy.contracts['virtualBalances'] === undefined
      ? balanceRead(strategy, aTokenOf(strategy))
      : contractRead({ ...pool, functionName: 'getVirtualUnderlyingBalance', args }),
  ] as const;
}

function walletReads(strategy: Strategy, wallet: Address) {
  const aToken = { address: aTokenOf(strategy), abi: A_TOKEN_ABI, args: [wallet] } as const;
  const pool = { address: poolOf(strategy), abi: POOL_ABI, args: [wallet] } as const;
  return [
    contractRead({ ...aToken, functionName: 'scaledBalanceOf' }),
    contractRead({ ...aToken, functionName: 'balanceOf' }),
    contractRead({ ...pool, functionName: 'getUserConfiguration' }),
    contractRead({ ...pool, functionName: 'getUserAccountData' }),
  ] as const;
}

interface Market {
  readonly state: MarketState;
  readonly flags: ReserveFlags;
  readonly liquidity: bigint;
}

type MarketResults = readonly [
  StoredReserve | undefined,
  scaledSupply: bigint | undefined,
  liquidity: bigint | undefined,
];

function marketOf([reserve, scaledSupply, liquidity]: MarketResults, block: ReadBlock): Market | undefined {
  if (reserve === undefined || scaledSupply === undefined || liquidity === undefined) return undefined;
  const flags = reserveFlags(reserve);
  const index = liquidityIndexAt(reserve, block);
  // The Pool has dropped the reserve.
  if (index === 0n) return undefined;
  const state = {
    sharePriceRay: index,
    yearlyRateRay: reserve.currentLiquidityRate,
    tvl: assetsOf(scaledSupply, index),
    liquidity,
    depositLimit: roomBelowCap({ ...reserve, scaledSupply, index }),
    acceptsDeposits: flags.isActive && !flags.isPaused && !flags.isFrozen,
    allowsWithdrawals: flags.isActive && !flags.isPaused,
  };
  return { state, flags, liquidity };
}

const withdrawableOf = ({ state, liquidity }: Market, value: bigint): bigint =>
  state.allowsWithdrawals ? minBigInt(value, liquidity) : 0n;

interface Lending extends Market, Pick<LendParameters, 'assets'> {
  readonly shares: bigint;
  /** Balance of the underlying asset. */
  readonly tokens: bigint;
}

function lendProblem(strategy: Strategy, lending: Lending): ProtocolProblem | undefined {
  const { state, flags, assets, shares, tokens } = lending;
  if (!state.acceptsDeposits) return problems.depositsPaused(`The market ${stateText(flags)}: it takes no deposits.`);
  if (shares === 0n) return problems.tooSmall('The amount is too small for a deposit in this market.');
  if (state.depositLimit !== undefined && assets > state.depositLimit)
    return problems.depositLimit(strategy, state.depositLimit);
  return assets > tokens ? problems.tooFewTokens(strategy, tokens) : undefined;
}

function stateText({ isActive, isPaused }: ReserveFlags): string {
  if (!isActive) return 'is not active';
  return isPaused ? 'is paused' : 'is frozen';
}

interface AaveHolding {
  readonly scaled: bigint;
  /** Balance of the aToken. */
  readonly value: bigint;
}

function withdrawnAmounts(
  amount: WithdrawAmount,
  { scaled, value, index }: AaveHolding & { readonly index: bigint },
): Omit<Preview, 'problem'> {
  if (amount.kind === 'all' || (amount.kind === 'shares' && amount.shares === scaled))
    return { assets: value, shares: scaled, isWhole: true };
  if (amount.kind === 'shares') return { assets: assetsOf(amount.shares, index), shares: amount.shares };
  const { assets } = amount;
  return { assets, shares: assets === value ? scaled : divideRayDown(assets, index) };
}

function withdrawProblem(
  strategy: Strategy,
  withdrawal: Market & AaveHolding & Omit<Preview, 'problem'>,
): ProtocolProblem | undefined {
  const { state, flags, liquidity, assets, shares, value, scaled } = withdrawal;
  if (!state.allowsWithdrawals)
    return problems.withdrawalsPaused(`The market ${stateText(flags)}: it allows no withdrawals.`);
  if (value === 0n || assets > value || shares > scaled) return problems.tooLargeForDeposit(strategy, value);
  if (assets === 0n) return problems.tooSmall('The amount is too small for a withdrawal.');
  return assets > liquidity ? problems.tooLittleLiquidity(strategy, liquidity) : undefined;
}
