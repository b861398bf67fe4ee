import { type Address, isAddressEqual, type Log, parseAbi, parseEventLogs, zeroAddress } from 'viem';
import { maxBigInt } from '../../../money/min-max';
import type { PositionChange, ProtocolEvents } from '../protocol';
import { logsOf, logPlace, receiptTransferFilters, type ReceiptTransfer, transfersOf } from '../receipt-transfers';

const COMET_EVENTS = parseAbi([
  'event Supply(address indexed from, address indexed dst, uint256 amount)',
  'event Withdraw(address indexed src, address indexed to, uint256 amount)',
]);

/** The amounts of transfers are rounded down from principal. */
const MAX_ROUNDING = 3n;

/**
 * Deposits and withdrawals of a Comet's base asset, and transfers, which show only as burnt and minted tokens. What repays or
 * increases a debt moves no tokens. No event states the index, so that the shares, which are principal, are unknown.
 */
export const compoundV3Events: ProtocolEvents = {
  filters: ({ receipt }, wallet) => receiptTransferFilters(receipt.address as Address, wallet),
  changes: ({ receipt }, wallet, logs) => {
    const comet = receipt.address as Address;
    const all = transfersOf(logs, comet);
    const own = all.filter(({ from, to }) => isMoved(wallet, from) !== isMoved(wallet, to));
    const flows = [...flowsOf(comet, wallet, logs)];
    return own.flatMap((transfer) => {
      const isInflow = isMoved(wallet, transfer.to);
      // Another deposit or withdrawal, such as one that only repays a debt, is no cost of this transfer.
      const position = flows.findLastIndex(
        (flow) =>
          flow.isInflow === isInflow &&
          flow.logIndex < transfer.logIndex &&
          transfer.amount - flow.amount <= MAX_ROUNDING,
      );
      const isUser = isAddressEqual(isInflow ? transfer.from : transfer.to, zeroAddress);
      const [flow] = position < 0 || !isUser ? [] : flows.splice(position, 1);
      const log = logs.find(({ logIndex }) => logIndex === transfer.logIndex);
      const place = log === undefined ? undefined : logPlace(log);
      if (place === undefined) return [];
      const amount = flow?.amount ?? sentAmount(all, transfer);
      const assets = assetsOf(amount, transfer);
      return {
        kind: kindOf(isInflow, flow !== undefined),
        shares: undefined,
        assets,
        sharePriceRay: undefined,
        ...place,
      };
    });
  },
};

const isMoved = (wallet: Address, party: Address): boolean => isAddressEqual(wallet, party);

interface Flow {
  readonly isInflow: boolean;
  readonly amount: bigint;
  readonly logIndex: number;
}

const flowsOf = (comet: Address, wallet: Address, logs: readonly Log[]): readonly Flow[] =>
  parseEventLogs({ abi: COMET_EVENTS, logs: logsOf(logs, comet) }).flatMap(({ eventName, args, logIndex }) => {
    const isInflow = eventName === 'Supply';
    const owner = isInflow ? args.dst : args.src;
    return isAddressEqual(owner, wallet) ? { isInflow, amount: args.amount, logIndex } : [];
  });

/** The amount that was deposited or withdrawn, without the part that repaid or increased a debt. */
const assetsOf = (amount: bigint, transfer: ReceiptTransfer): bigint =>
  amount - transfer.amount <= MAX_ROUNDING ? amount : transfer.amount;

/**
 * The amount of a transfer between two wallets. Its burn and its mint round it down differently: the larger one is nearer, and
 * the same for both wallets.
 */
function sentAmount(transfers: readonly ReceiptTransfer[], transfer: ReceiptTransfer): bigint {
  const position = transfers.indexOf(transfer);
  const isMint = isAddressEqual(transfer.from, zeroAddress);
  const other = transfers[isMint ? position - 1 : position + 1];
  const isPair = other !== undefined && isAddressEqual(isMint ? other.to : other.from, zeroAddress);
  return isPair ? maxBigInt(transfer.amount, other.amount) : transfer.amount;
}

function kindOf(isInflow: boolean, hasFlow: boolean): PositionChange['kind'] {
  if (isInflow) return hasFlow ? 'deposit' : 'transferIn';
  return hasFlow ? 'withdrawal' : 'transferOut';
}
