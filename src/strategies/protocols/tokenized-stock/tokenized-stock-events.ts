import { type Address, isAddressEqual, type Log, parseAbi, parseEventLogs } from 'viem';
import type { PositionChange, ProtocolEvents } from '../protocol';
import { placeOf, receiptTransferFilters, type ReceiptTransfer, transfersOf } from '../receipt-transfers';

const TRADE = parseAbi([
  'event Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
]);
/** CoW Protocol's settlement, which pays out what orders have bought. */
const SETTLEMENT: Address = '0x9008D19f58AAbD9eD0D60971565AA8510560ab41';

/**
 * What CoW's settlement pays out is a purchase at the price of its trade. Every other movement of the token is a transfer, also
 * the one to the wallet of an order that sells: its worth is that of the price feed.
 */
export const tokenizedStockEvents: ProtocolEvents = {
  filters: ({ receipt }, wallet) => receiptTransferFilters(receipt.address as Address, wallet),
  changes({ receipt, underlying }, wallet, logs) {
    const token = receipt.address as Address;
    const purchases = [...purchasesOf(logs, { token, dollar: underlying.address as Address })];
    return transfersOf(logs, token).flatMap((transfer): readonly PositionChange[] => {
      const isInflow = isAddressEqual(transfer.to, wallet);
      if (isInflow === isAddressEqual(transfer.from, wallet)) return [];
      const log = logs.find(({ logIndex }) => logIndex === transfer.logIndex);
      const place = log === undefined ? undefined : placeOf(log);
      if (place === undefined) return [];
      const change = { shares: transfer.amount, sharePriceRay: undefined, ...place };
      const paid = isInflow ? takePurchase(purchases, transfer) : undefined;
      if (paid !== undefined) return [{ ...change, kind: 'deposit', assets: paid }];
      return [{ ...change, kind: isInflow ? 'transferIn' : 'transferOut', assets: undefined }];
    });
  },
};

interface Purchase {
  readonly bought: bigint;
  readonly paid: bigint;
}

function purchasesOf(
  logs: readonly Log[],
  { token, dollar }: { readonly token: Address; readonly dollar: Address },
): readonly Purchase[] {
  const own = logs.filter(({ address }) => isAddressEqual(address, SETTLEMENT));
  return parseEventLogs({ abi: TRADE, eventName: 'Trade', logs: own }).flatMap(({ args }) =>
    isAddressEqual(args.buyToken, token) && isAddressEqual(args.sellToken, dollar)
      ? [{ bought: args.buyAmount, paid: args.sellAmount }]
      : [],
  );
}

/** The price of a payout of the settlement, taken from the list: a transaction may settle several equal orders. */
function takePurchase(purchases: Purchase[], { from, amount }: ReceiptTransfer): bigint | undefined {
  if (!isAddressEqual(from, SETTLEMENT)) return undefined;
  const index = purchases.findIndex(({ bought }) => bought === amount);
  return index < 0 ? undefined : purchases.splice(index, 1)[0]?.paid;
}
