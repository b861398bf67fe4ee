import { type Address, erc20Abi, parseAbi } from 'viem';
import { RAY } from '../../../money/ray';
import { contractRead } from '../../../rpc/contract-read';
import { COW_SETTLEMENT } from '../../cow-settlement';
import type { Strategy } from '../../strategy';
import {
  type HeldRequests,
  type StrategyHolding,
  NOTHING_REQUESTED,
  type ProtocolRead,
  type ProtocolReader,
  type RequestedAmount,
  type WalletOrders,
} from '../protocol';
import { protocolRead } from '../protocol-read';
import { stockEvents } from './tokenized-stock-events';

/** A price feed with Chainlink's interface. */
export const FEED_ABI = parseAbi([
  'function decimals() view returns (uint8)',
  'function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)',
]);
/** More decimals than any price feed has. */
const MAX_DECIMALS = 36;
const NO_ORDERS: WalletOrders = { sales: [], allSaleWallets: [], purchases: [] };

/**
 * Tokenized stocks: the token of a stock is the share, and its price that of a feed in dollars. The underlying asset is a dollar
 * token, which counts as one dollar. Orders buy and sell it, so that there is nothing to call.
 */
export const tokenizedStock: ProtocolReader = {
  name: 'tokenized-stock',
  resolution({ market, priceFeed }) {
    if (priceFeed === undefined) return { kind: 'refused', reason: 'It needs the priceFeed of its stock.' };
    return {
      kind: 'next',
      read: protocolRead(feedReads(priceFeed), ([decimals, round]) => {
        if (decimals === undefined || round === undefined) return undefined;
        return decimals <= MAX_DECIMALS && round[1] > 0n
          ? { kind: 'resolved', contracts: { token: market, priceFeed, settlement: COW_SETTLEMENT }, receipt: market }
          : { kind: 'refused', reason: `The price feed ${priceFeed} has no price.` };
      }),
    };
  },
  market: (strategy) =>
    protocolRead([...priceReads(strategy), totalSupplyRead(strategy)], ([decimals, round, supply]) => {
      const sharePriceRay = sharePriceOf(strategy, decimals, round);
      if (sharePriceRay === undefined || supply === undefined) return undefined;
      return {
        sharePriceRay,
        yearlyRateRay: undefined,
        tvl: (supply * sharePriceRay) / RAY,
        liquidity: undefined,
        depositLimit: undefined,
        acceptsDeposits: true,
        allowsWithdrawals: true,
      };
    }),
  holding: (strategy, wallet) => stockHolding(strategy, wallet, NO_ORDERS),
  events: stockEvents(NO_ORDERS),
  withOrders: (orders) => ({
    holding: (strategy, wallet) => stockHolding(strategy, wallet, orders),
    events: stockEvents(orders),
  }),
};

/**
 * What the wallet has, and what the order wallets of its sales have. The tokens of open sales are requested to withdraw, and the
 * dollars of open purchases are requested to lend, without being part of anything else.
 */
function stockHolding(
  strategy: Strategy,
  wallet: Address,
  { sales, purchases }: WalletOrders,
): ProtocolRead<StrategyHolding> {
  const { row, underlying } = strategy;
  const dollar = underlying.address as Address;
  const balances = [
    balanceRead(row.market, wallet),
    ...sales.map(({ orderWallet }) => balanceRead(row.market, orderWallet)),
    ...purchases.map((orderWallet) => balanceRead(dollar, orderWallet)),
  ];
  return protocolRead([...priceReads(strategy), ...balances], ([decimals, round, receiptBalance, ...inOrders]) => {
    const sharePriceRay = sharePriceOf(strategy, decimals, round);
    if (sharePriceRay === undefined || receiptBalance === undefined) return undefined;
    const read = inOrders.filter((balance) => balance !== undefined);
    if (read.length < sales.length + purchases.length) return undefined;
    const inSales = read.slice(0, sales.length);
    const inOpenSales = sumOf(inSales.filter((_, index) => sales[index]?.isOpen));
    const inPurchases = sumOf(read.slice(sales.length));
    const worthOf = (shares: bigint): bigint => (shares * sharePriceRay) / RAY;
    const shares = receiptBalance + sumOf(inSales);
    return {
      shares,
      receiptBalance,
      receiptWorth: worthOf(receiptBalance),
      value: worthOf(shares),
      availableToWithdraw: worthOf(receiptBalance),
      isAvailableTrusted: true,
      debt: 0n,
      ...requestsOf({
        withdraw: { assets: worthOf(inOpenSales), shares: inOpenSales },
        lend: inPurchases < centOf(strategy) ? NOTHING_REQUESTED : lendOf(inPurchases, sharePriceRay),
      }),
    };
  });
}

const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n);

/** Any account can send dust to an order wallet. Less than this is no purchase. */
const centOf = ({ underlying }: Strategy): bigint => 10n ** BigInt(underlying.decimals) / 100n;

const lendOf = (assets: bigint, sharePriceRay: bigint): RequestedAmount => ({
  assets,
  shares: (assets * RAY) / sharePriceRay,
});

/** Tokens that are worth nothing are no request either. */
const requestsOf = ({ lend, withdraw }: Pick<HeldRequests, 'lend' | 'withdraw'>): Pick<StrategyHolding, 'requests'> =>
  lend.assets === 0n && withdraw.assets === 0n
    ? {}
    : {
        requests: {
          lend,
          withdraw: withdraw.assets === 0n ? NOTHING_REQUESTED : withdraw,
          claimableLend: { ...NOTHING_REQUESTED, worth: 0n },
          claimableWithdraw: NOTHING_REQUESTED,
        },
      };

const feedReads = (address: Address) =>
  [
    contractRead({ address, abi: FEED_ABI, functionName: 'decimals' }),
    contractRead({ address, abi: FEED_ABI, functionName: 'latestRoundData' }),
  ] as const;

const priceReads = ({ row, contracts }: Strategy) => feedReads(contracts['priceFeed'] ?? row.market);

const totalSupplyRead = ({ row }: Strategy) =>
  contractRead({ address: row.market, abi: erc20Abi, functionName: 'totalSupply' });

const balanceRead = (token: Address, wallet: Address) =>
  contractRead({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] });

type Round = readonly [bigint, bigint, bigint, bigint, bigint];

/** Base units of dollars for a base unit of the stock, as a ray; `undefined` without a price. */
function sharePriceOf(
  { underlying, receipt }: Pick<Strategy, 'underlying' | 'receipt'>,
  decimals: number | undefined,
  round: Round | undefined,
): bigint | undefined {
  if (decimals === undefined || decimals > MAX_DECIMALS || round === undefined || round[1] <= 0n) return undefined;
  const price = (round[1] * RAY * 10n ** BigInt(underlying.decimals)) / 10n ** BigInt(decimals + receipt.decimals);
  return price > 0n ? price : undefined;
}
