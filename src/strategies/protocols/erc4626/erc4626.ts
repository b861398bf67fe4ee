import { type Address, encodeFunctionData, erc20Abi } from 'viem';
import { isSameAddress } from '../../../chains/addresses';
import { minBigInt } from '../../../money/min-max';
import { contractRead } from '../../../rpc/contract-read';
import type { Strategy } from '../../strategy';
import type { StrategyRow } from '../../strategy-row';
import type { Protocol, Resolution } from '../protocol';
import { protocolRead } from '../protocol-read';
import { LOSS_BOUND_ABI, VAULT_ABI } from './erc4626-abi';
import { erc4626Events } from './erc4626-events';
import { explainVaultRevert } from './erc4626-reverts';
import { MAX_SHARE_DECIMALS, pricedShares, redeemableOf, sharePriceRay } from '../share-price';
import { lendProblem, trustedLimit, withdrawnAmounts, withdrawProblem } from '../vault-problems';

/** Any account: limits that depend on the receiver are not those of the market. */
const ANY_RECEIVER: Address = '0x000000000000000000000000000000000000dEaD';
/** Loss of a redemption that vaults of Yearn may pass on: rounding only. Their redeem without a bound accepts any loss. */
const MAX_LOSS_BPS = 1n;

/** Vaults of ERC-4626: Morpho, Yearn, sUSDS, Aave's stata tokens and others. */
export const erc4626: Protocol = {
  name: 'erc4626',
  resolution: (row) => ({
    kind: 'next',
    read: protocolRead(
      [
        contractRead({ address: row.market, abi: VAULT_ABI, functionName: 'asset' }),
        contractRead({ address: row.market, abi: VAULT_ABI, functionName: 'decimals' }),
        contractRead({
          address: row.market,
          abi: LOSS_BOUND_ABI,
          functionName: 'maxRedeem',
          args: [ANY_RECEIVER, MAX_LOSS_BPS],
        }),
      ],
      ([asset, decimals, redeemable]) =>
        asset === undefined || decimals === undefined
          ? undefined
          : vaultResolution(row, { asset, decimals, boundsLoss: redeemable !== undefined }),
    ),
  }),
  market: (strategy) =>
    protocolRead(
      [
        totalAssetsRead(strategy),
        totalSupplyRead(strategy),
        convertRead(strategy),
        maxDepositRead(strategy, ANY_RECEIVER),
      ],
      ([totalAssets, totalSupply, converted, maxDeposit]) => {
        if (totalAssets === undefined) return undefined;
        const price = sharePriceRay(strategy.receipt.decimals, { converted, totalAssets, totalSupply });
        if (price === undefined) return undefined;
        const limit = trustedLimit(strategy.row, maxDeposit);
        return {
          sharePriceRay: price,
          yearlyRateRay: undefined,
          tvl: totalAssets,
          liquidity: undefined,
          depositLimit: limit,
          // The standard forbids `maxDeposit` to revert: a vault in which it does is broken or stopped.
          acceptsDeposits: limit !== 0n && (maxDeposit !== undefined || !strategy.row.trustMax),
          allowsWithdrawals: true,
        };
      },
    ),
  holding: (strategy, wallet) =>
    protocolRead(
      [sharesRead(strategy, wallet), redeemRead(strategy), convertRead(strategy), maxWithdrawRead(strategy, wallet)],
      ([shares, redeemed, converted, maxWithdraw]) => {
        if (shares === undefined) return undefined;
        const value = redeemableOf(shares, { redeemed, converted }, strategy.receipt.decimals);
        if (value === undefined) return undefined;
        const limit = strategy.row.trustMax ? maxWithdraw : undefined;
        return {
          shares,
          value,
          receiptBalance: shares,
          availableToWithdraw: limit === undefined ? value : minBigInt(value, limit),
          isAvailableTrusted: limit !== undefined,
          debt: 0n,
        };
      },
    ),
  lendPreview: (strategy, { wallet, receiver, assets }) =>
    protocolRead(
      [
        totalAssetsRead(strategy),
        contractRead({ ...vaultOf(strategy), functionName: 'previewDeposit', args: [assets] }),
        redeemRead(strategy),
        maxDepositRead(strategy, receiver),
        contractRead({ address: strategy.row.underlying, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] }),
      ],
      ([totalAssets, previewed, redeemed, maxDeposit, tokens]) => {
        if (totalAssets === undefined || tokens === undefined) return undefined;
        const limit = trustedLimit(strategy.row, maxDeposit);
        return {
          assets,
          shares: previewed ?? 0n,
          problem: lendProblem(strategy, { assets, previewed, redeemed, limit, tokens }),
        };
      },
    ),
  lend: (strategy, { assets, receiver }) => ({
    to: strategy.row.market,
    data: encodeFunctionData({ abi: VAULT_ABI, functionName: 'deposit', args: [assets, receiver] }),
    value: 0n,
    allowance: { token: strategy.row.underlying, spender: strategy.row.market, amount: assets },
  }),
  withdrawPreview: (strategy, { wallet, amount }) =>
    protocolRead(
      [
        sharesRead(strategy, wallet),
        redeemRead(strategy),
        convertRead(strategy),
        contractRead({
          ...vaultOf(strategy),
          functionName: 'previewRedeem',
          args: [amount.kind === 'shares' ? amount.shares : 0n],
        }),
        contractRead({
          ...vaultOf(strategy),
          functionName: 'previewWithdraw',
          args: [amount.kind === 'assets' ? amount.assets : 0n],
        }),
        maxWithdrawRead(strategy, wallet),
      ],
      ([held, redeemed, converted, assets, shares, maxWithdraw]) => {
        if (held === undefined) return undefined;
        const value = redeemableOf(held, { redeemed, converted }, strategy.receipt.decimals);
        if (value === undefined) return undefined;
        const amounts = withdrawnAmounts(amount, { held, value, assets, shares });
        if (amounts === undefined) return undefined;
        const limit = trustedLimit(strategy.row, maxWithdraw);
        return { ...amounts, problem: withdrawProblem(strategy, { ...amounts, held, value, limit }) };
      },
    ),
  withdraw: (strategy, { wallet, receiver, amount }, { shares }) => ({
    to: strategy.row.market,
    data:
      amount.kind === 'assets'
        ? encodeFunctionData({ abi: VAULT_ABI, functionName: 'withdraw', args: [amount.assets, receiver, wallet] })
        : redeemCall(strategy, { shares, receiver, owner: wallet }),
    value: 0n,
    allowance: undefined,
  }),
  explainRevert: explainVaultRevert,
  events: erc4626Events,
};

interface VaultTraits {
  readonly asset: Address;
  readonly decimals: number;
  /** Whether a redemption can bound the loss that it accepts. */
  readonly boundsLoss: boolean;
}

function vaultResolution(row: StrategyRow, { asset, decimals, boundsLoss }: VaultTraits): Resolution {
  if (!isSameAddress(asset, row.underlying))
    return { kind: 'refused', reason: `The vault ${row.market} has the asset ${asset} and not ${row.underlying}.` };
  if (decimals > MAX_SHARE_DECIMALS)
    return {
      kind: 'refused',
      reason: `The vault ${row.market} has ${decimals} decimals; at most ${MAX_SHARE_DECIMALS} are supported.`,
    };
  const contracts = boundsLoss ? { vault: row.market, lossBound: row.market } : { vault: row.market };
  return { kind: 'resolved', contracts, receipt: row.market };
}

const vaultOf = ({ row }: Strategy) => ({ address: row.market, abi: VAULT_ABI }) as const;

/** The token of the shares: the vault itself, unless it names another one. */
const shareOf = ({ receipt }: Strategy) => ({ address: receipt.address as Address, abi: erc20Abi }) as const;

const totalAssetsRead = (strategy: Strategy) => contractRead({ ...vaultOf(strategy), functionName: 'totalAssets' });

const totalSupplyRead = (strategy: Strategy) => contractRead({ ...shareOf(strategy), functionName: 'totalSupply' });

const sharesRead = (strategy: Strategy, owner: Address) =>
  contractRead({ ...shareOf(strategy), functionName: 'balanceOf', args: [owner] });

const convertRead = (strategy: Strategy) =>
  contractRead({
    ...vaultOf(strategy),
    functionName: 'convertToAssets',
    args: [pricedShares(strategy.receipt.decimals)],
  });

/** As `convertRead`, less the fees of an exit. */
const redeemRead = (strategy: Strategy) =>
  contractRead({
    ...vaultOf(strategy),
    functionName: 'previewRedeem',
    args: [pricedShares(strategy.receipt.decimals)],
  });

const maxDepositRead = (strategy: Strategy, receiver: Address) =>
  contractRead({ ...vaultOf(strategy), functionName: 'maxDeposit', args: [receiver] });

const maxWithdrawRead = (strategy: Strategy, owner: Address) =>
  contractRead({ ...vaultOf(strategy), functionName: 'maxWithdraw', args: [owner] });

interface Redemption {
  readonly shares: bigint;
  readonly receiver: Address;
  readonly owner: Address;
}

function redeemCall({ contracts }: Strategy, { shares, receiver, owner }: Redemption) {
  return contracts['lossBound'] === undefined
    ? encodeFunctionData({ abi: VAULT_ABI, functionName: 'redeem', args: [shares, receiver, owner] })
    : encodeFunctionData({
        abi: LOSS_BOUND_ABI,
        functionName: 'redeem',
        args: [shares, receiver, owner, MAX_LOSS_BPS],
      });
}
