import { encodeFunctionData, erc20Abi } from 'viem';
import { divideUp } from '../../../money/divide-up';
import { minBigInt } from '../../../money/min-max';
import { contractRead } from '../../../rpc/contract-read';
import type { Strategy } from '../../strategy';
import type { ProtocolRequests, WithdrawAmount } from '../protocol';
import { protocolRead } from '../protocol-read';
import { pricedShares, worthOfShares } from '../share-price';
import { lendProblem, withdrawProblem } from '../vault-problems';
import { REQUEST_VAULT_ABI } from './erc7540-abi';
import { convertRead, depositReads, redeemReads, sharesRead, vaultOf } from './held-requests';

/** Requests of a vault. The price of their fulfilment is unknown: previews use the current one. */
export const vaultRequests: ProtocolRequests = {
  lendPreview: (strategy, { wallet, assets }) =>
    protocolRead(
      [
        contractRead({ ...vaultOf(strategy), functionName: 'convertToShares', args: [assets] }),
        convertRead(strategy),
        contractRead({ address: strategy.row.underlying, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] }),
      ],
      ([previewed, redeemed, tokens]) => {
        if (tokens === undefined) return undefined;
        const problem = lendProblem(strategy, { assets, previewed, redeemed, limit: undefined, tokens });
        return { assets, shares: previewed ?? 0n, problem };
      },
    ),
  lend: ({ row }, { wallet, assets }) => ({
    to: row.market,
    data: encodeFunctionData({
      abi: REQUEST_VAULT_ABI,
      functionName: 'requestDeposit',
      args: [assets, wallet, wallet],
    }),
    value: 0n,
    allowance: { token: row.underlying, spender: row.market, amount: assets },
  }),
  withdrawPreview: (strategy, { wallet, amount }) =>
    protocolRead([sharesRead(strategy, wallet), convertRead(strategy)], ([held, converted]) => {
      if (held === undefined || converted === undefined) return undefined;
      const value = worthOfShares(held, converted, strategy.receipt.decimals);
      const amounts = requestedAmounts(strategy, amount, { held, value, converted });
      const problem = withdrawProblem(strategy, { ...amounts, held, value, limit: undefined });
      return { ...amounts, isWhole: amounts.shares === held, problem };
    }),
  withdraw: ({ row }, { wallet }, { shares }) => ({
    to: row.market,
    data: encodeFunctionData({ abi: REQUEST_VAULT_ABI, functionName: 'requestRedeem', args: [shares, wallet, wallet] }),
    value: 0n,
    allowance: undefined,
  }),
  recorded: (strategy, { side, wallet }) => (side === 'lend' ? depositReads : redeemReads)(strategy, wallet),
};

interface HeldShares {
  readonly held: bigint;
  readonly value: bigint;
  readonly converted: bigint;
}

/** Shares are rounded up, so that they are worth the assets at the current price. */
function requestedAmounts(
  { receipt }: Strategy,
  amount: WithdrawAmount,
  { held, value, converted }: HeldShares,
): { readonly assets: bigint; readonly shares: bigint } {
  switch (amount.kind) {
    case 'all':
      return { assets: value, shares: held };
    case 'shares':
      return { assets: worthOfShares(amount.shares, converted, receipt.decimals), shares: amount.shares };
    case 'assets': {
      const { assets } = amount;
      const shares = converted === 0n ? held + 1n : divideUp(assets * pricedShares(receipt.decimals), converted);
      return { assets, shares: assets <= value ? minBigInt(shares, held) : shares };
    }
  }
}
