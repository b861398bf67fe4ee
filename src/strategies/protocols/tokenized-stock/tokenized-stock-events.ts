import { type Address, isAddressEqual, type Log, parseEventLogs } from 'viem';
import { COW_SETTLEMENT, SETTLEMENT_ABI } from '../../cow-settlement';
import type { LogFilter, PositionChange, ProtocolEvents, WalletSales } from '../protocol';
import {
  addressTopic,
  logsOf,
  logPlace,
  receiptTransferFilters,
  type ReceiptTransfer,
  transfersOf,
} from '../receipt-transfers';
import { TRANSFER_TOPIC } from '../../../tokens/transfer-topic';

/** 1: trades have their own prices, and the order wallets of sales belong to the position. 2: each trade has one payout. */
const VERSION = 2;

/**
 * Changes of a position that consists of the wallet and the order wallets of its sales. What moves between them changes nothing:
 * neither the transfer that funds a sale nor its refund. What CoW's settlement pays out is a purchase, and what it takes
 * a sale, both at the price of the trade. Every other movement of the token is a transfer: its worth is that of the price feed.
 */
export const stockEvents = ({ sales, allSaleWallets }: WalletSales): ProtocolEvents => ({
  version: VERSION,
  filters: ({ receipt }, wallet) => {
    const token = receipt.address as Address;
    const own = receiptTransferFilters(token, wallet);
    return sales.length === 0 ? own : [...own, ...orderFilters(token, allSaleWallets)];
  },
  changes({ receipt, underlying }, wallet, logs) {
    const token = receipt.address as Address;
    const trades = tradesOf(logs, { token, dollar: underlying.address as Address });
    const accounts = [wallet, ...sales.map(({ orderWallet }) => orderWallet)];
    const own = new Set(accounts.map((account) => account.toLowerCase()));
    const isOwn = (account: Address): boolean => own.has(account.toLowerCase());
    return transfersOf(logs, token).flatMap((transfer): readonly PositionChange[] => {
      // Payouts to other accounts consume their trades too: two orders of one transaction may have equal amounts.
      const purchase = takePurchase(trades.purchases, transfer);
      const isInflow = isOwn(transfer.to);
      if (isInflow === isOwn(transfer.from)) return [];
      const log = logs.find(({ logIndex }) => logIndex === transfer.logIndex);
      const place = log === undefined ? undefined : logPlace(log);
      if (place === undefined) return [];
      const change = { shares: transfer.amount, sharePriceRay: undefined, ...place };
      const assets = isInflow ? purchase : takeSale(trades.sales, transfer);
      if (assets === undefined) return [{ ...change, kind: isInflow ? 'transferIn' : 'transferOut', assets }];
      return [{ ...change, kind: isInflow ? 'deposit' : 'withdrawal', assets }];
    });
  },
});

/** Transfers from and to order wallets, which the filters of the wallet do not find. */
function orderFilters(address: Address, wallets: readonly Address[]): readonly LogFilter[] {
  const topic = wallets.map(addressTopic);
  return [
    { address, topics: [TRANSFER_TOPIC, topic] },
    { address, topics: [TRANSFER_TOPIC, null, topic] },
  ];
}

interface Trade {
  /** Owner of the order. */
  readonly owner: Address;
  /** Tokens of the stock. */
  readonly shares: bigint;
  /** `undefined` for a trade of another token. */
  readonly dollars: bigint | undefined;
}

interface Trades {
  readonly purchases: Trade[];
  readonly sales: Trade[];
}

function tradesOf(
  logs: readonly Log[],
  { token, dollar }: { readonly token: Address; readonly dollar: Address },
): Trades {
  const trades: Trades = { purchases: [], sales: [] };
  const inDollars = (amount: bigint, other: Address) => (isAddressEqual(other, dollar) ? amount : undefined);
  const settled = logsOf(logs, COW_SETTLEMENT);
  for (const { args } of parseEventLogs({ abi: SETTLEMENT_ABI, eventName: 'Trade', logs: settled })) {
    const { owner, sellToken, buyToken, sellAmount, buyAmount } = args;
    if (isAddressEqual(buyToken, token))
      trades.purchases.push({ owner, shares: buyAmount, dollars: inDollars(sellAmount, sellToken) });
    if (isAddressEqual(sellToken, token))
      trades.sales.push({ owner, shares: sellAmount, dollars: inDollars(buyAmount, buyToken) });
  }
  return trades;
}

/** What a payout of the settlement has cost. */
const takePurchase = (purchases: Trade[], { from, amount }: ReceiptTransfer): bigint | undefined =>
  isAddressEqual(from, COW_SETTLEMENT) ? takeDollars(purchases, ({ shares }) => shares === amount) : undefined;

/** What the settlement has paid for tokens that it took. */
const takeSale = (sales: Trade[], { from, to, amount }: ReceiptTransfer): bigint | undefined =>
  isAddressEqual(to, COW_SETTLEMENT)
    ? takeDollars(sales, ({ owner, shares }) => shares === amount && isAddressEqual(owner, from))
    : undefined;

/** The dollars of a trade, which is taken from the list: a transaction may settle several equal orders. */
function takeDollars(trades: Trade[], isMatch: (trade: Trade) => boolean): bigint | undefined {
  const index = trades.findIndex(isMatch);
  return index < 0 ? undefined : trades.splice(index, 1)[0]?.dollars;
}
