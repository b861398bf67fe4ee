import { type Address, encodeFunctionData } from 'viem';
import { isSameAddress } from '../../../chains/addresses';
import { MAX_BASE_UNITS } from '../../../money/base-units';
import { maxBigInt, minBigInt } from '../../../money/min-max';
import { contractRead } from '../../../rpc/contract-read';
import type { Strategy } from '../../strategy';
import * as problems from '../problems';
import type { StrategyHolding, Preview, Protocol, ProtocolProblem, ProtocolRead, WithdrawAmount } from '../protocol';
import { protocolRead } from '../protocol-read';
import { withEmissions, withRewards } from '../rewards';
import { COMET_ABI } from './comet-abi';
import { presentValue, principalAdded, principalRemoved } from './comet-index';
import { type CometMarket, marketOf, marketReads, tokenRead, walletReads } from './comet-reads';
import { explainCometRevert } from './comet-reverts';
import { claimCall, emissionsRead, explainClaimRevert, rewardReads, rewardsResolution } from './comet-rewards';
import { compoundV3Events } from './compound-v3-events';

/**
 * Compound V3: deposits of a Comet's base asset. Shares are principal: their price is the index of deposits. What would
 * borrow or repay is refused, because a Comet does either by itself.
 */
export const compoundV3: Protocol = {
  name: 'compound-v3',
  resolution: (row) => ({
    kind: 'next',
    read: protocolRead(
      [contractRead({ address: row.market, abi: COMET_ABI, functionName: 'baseToken' })],
      ([baseToken]) => {
        if (baseToken === undefined) return undefined;
        return isSameAddress(baseToken, row.underlying)
          ? rewardsResolution(row, { kind: 'resolved', contracts: { comet: row.market }, receipt: row.market })
          : {
              kind: 'refused',
              reason: `The Comet ${row.market} has the base asset ${baseToken} and not ${row.underlying}.`,
            };
      },
    ),
  }),
  market: (strategy) =>
    withEmissions(
      protocolRead(marketReads(strategy), (results, block) => marketOf(results, block)?.state),
      emissionsRead(strategy),
    ),
  holding: (strategy, wallet) => withRewards(strategy, depositRead(strategy, wallet), rewardReads(strategy, wallet)),
  lendPreview: (strategy, { wallet, receiver, assets }) =>
    protocolRead(
      [...walletReads(strategy, receiver), tokenRead(strategy, wallet), ...marketReads(strategy)],
      (results, block) => {
        const [basic, value, debt, tokens, ...market] = results;
        const comet = marketOf(market, block);
        if (comet === undefined || basic === undefined || value === undefined) return undefined;
        if (debt === undefined || tokens === undefined) return undefined;
        const shares = debt > 0n ? 0n : principalAdded(maxBigInt(0n, basic[0]), assets, comet.index);
        return { assets, shares, problem: lendProblem(strategy, { ...comet, assets, shares, debt, tokens }) };
      },
    ),
  lend: (strategy, { receiver, assets }) => ({
    to: strategy.row.market,
    data: encodeFunctionData({
      abi: COMET_ABI,
      functionName: 'supplyTo',
      args: [receiver, strategy.row.underlying, assets],
    }),
    value: 0n,
    allowance: { token: strategy.row.underlying, spender: strategy.row.market, amount: assets },
  }),
  withdrawPreview: (strategy, { wallet, amount }) =>
    protocolRead([...walletReads(strategy, wallet), ...marketReads(strategy)], (results, block) => {
      const [basic, value, , ...market] = results;
      const comet = marketOf(market, block);
      if (comet === undefined || basic === undefined || value === undefined) return undefined;
      const principal = maxBigInt(0n, basic[0]);
      const amounts = withdrawnAmounts(amount, { principal, value, index: comet.index });
      return { ...amounts, problem: withdrawProblem(strategy, { ...comet, ...amounts, principal, value }) };
    }),
  withdraw: (strategy, { receiver }, preview) => ({
    to: strategy.row.market,
    data: encodeFunctionData({
      abi: COMET_ABI,
      functionName: 'withdrawTo',
      // The largest integer is the whole balance at the time of execution.
      args: [receiver, strategy.row.underlying, preview.isWhole === true ? MAX_BASE_UNITS : preview.assets],
    }),
    value: 0n,
    allowance: undefined,
  }),
  claim: claimCall,
  explainRevert: explainCometRevert,
  explainClaimRevert,
  events: compoundV3Events,
};

const depositRead = (strategy: Strategy, wallet: Address): ProtocolRead<StrategyHolding> =>
  protocolRead([...walletReads(strategy, wallet), ...marketReads(strategy)], (results, block) => {
    const [basic, value, debt, ...market] = results;
    const comet = marketOf(market, block);
    if (comet === undefined || basic === undefined || value === undefined || debt === undefined) return undefined;
    return {
      shares: maxBigInt(0n, basic[0]),
      value,
      receiptBalance: value,
      availableToWithdraw: comet.state.allowsWithdrawals ? minBigInt(value, comet.liquidity) : 0n,
      isAvailableTrusted: true,
      debt,
    };
  });

interface CometDeposit extends CometMarket, Pick<Preview, 'assets' | 'shares'> {
  readonly debt: bigint;
  /** Balance of the base asset. */
  readonly tokens: bigint;
}

function lendProblem(strategy: Strategy, deposit: CometDeposit): ProtocolProblem | undefined {
  const { state, assets, shares, debt, tokens } = deposit;
  if (!state.acceptsDeposits) return problems.depositsPaused('The market is paused: it takes no deposits.');
  if (debt > 0n)
    return {
      kind: 'DEBT',
      message: `The wallet owes ${problems.amountText(strategy, debt)} in this market: a deposit would repay it first.`,
    };
  if (shares === 0n) return problems.tooSmall('The amount is too small for a deposit in this market.');
  return assets > tokens ? problems.tooFewTokens(strategy, tokens) : undefined;
}

interface CometHolding {
  readonly principal: bigint;
  /** Balance of the base asset in the Comet. */
  readonly value: bigint;
}

function withdrawnAmounts(
  amount: WithdrawAmount,
  { principal, value, index }: CometHolding & Pick<CometMarket, 'index'>,
): Omit<Preview, 'problem'> {
  if (amount.kind === 'all' || (amount.kind === 'shares' && amount.shares === principal))
    return { assets: value, shares: principal, isWhole: true };
  if (amount.kind === 'shares') return { assets: presentValue(amount.shares, index), shares: amount.shares };
  const { assets } = amount;
  // As the maximum it cannot borrow when another withdrawal is mined first.
  if (assets === value) return { assets, shares: principal, isWhole: true };
  return { assets, shares: assets > value ? principal : principalRemoved(principal, assets, index) };
}

function withdrawProblem(
  strategy: Strategy,
  { state, liquidity, assets, shares, principal, value }: CometMarket & CometHolding & Omit<Preview, 'problem'>,
): ProtocolProblem | undefined {
  if (!state.allowsWithdrawals) return problems.withdrawalsPaused('The market is paused: it allows no withdrawals.');
  // The Comet would lend the difference to a wallet that has collateral.
  if (value === 0n || assets > value || shares > principal) return problems.tooLargeForDeposit(strategy, value);
  if (assets === 0n) return problems.tooSmall('The amount is too small for a withdrawal.');
  return assets > liquidity ? problems.tooLittleLiquidity(strategy, liquidity) : undefined;
}
