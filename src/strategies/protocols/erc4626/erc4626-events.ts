import { type Address, isAddressEqual, type Log, parseAbi, parseEventLogs, zeroAddress } from 'viem';
import { RAY } from '../../../money/ray';
import type { PositionChange, ProtocolEvents } from '../protocol';
import { logsOf, logPlace, receiptTransferFilters, type ReceiptTransfer, transfersOf } from '../receipt-transfers';

const VAULT_EVENTS = parseAbi([
  'event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
  'event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)',
]);

/**
 * Deposits and withdrawals of a vault. A contract may deposit for itself and pass the shares on in the same transaction, or
 * take shares and withdraw them: both count as the wallet's own. Shares that are minted or burnt without an event of the
 * vault, and all other transfers, are worth the share price.
 */
export const erc4626Events: ProtocolEvents = {
  filters: ({ receipt }, wallet) => receiptTransferFilters(receipt.address as Address, wallet),
  changes: ({ receipt, contracts }, wallet, logs) => {
    const share = receipt.address as Address;
    const transfers = transfersOf(logs, share);
    const flows = flowsOf(contracts['vault'] ?? share, logs);
    const deposited = followShares(
      transfers,
      flows.filter(({ isDeposit }) => isDeposit),
    );
    // Backwards in time, withdrawn shares come from the zero address and wander to where they were taken from.
    const reversed = transfers.map(reverse).reverse();
    const withdrawn = followShares(reversed, flows.filter(({ isDeposit }) => !isDeposit).reverse());
    return transfers.flatMap((transfer) => {
      const log = logs.find(({ logIndex }) => logIndex === transfer.logIndex);
      const place = log === undefined ? undefined : logPlace(log);
      const [isOut, isIn] = [isAddressEqual(transfer.from, wallet), isAddressEqual(transfer.to, wallet)];
      if (place === undefined || isOut === isIn) return [];
      const part = (isIn ? deposited : withdrawn).get(transfer.logIndex);
      return { ...changeOf(transfer, { isIn, part }), ...place };
    });
  },
};

interface Flow {
  readonly isDeposit: boolean;
  readonly owner: Address;
  readonly assets: bigint;
  readonly shares: bigint;
}

const flowsOf = (vault: Address, logs: readonly Log[]): readonly Flow[] =>
  parseEventLogs({ abi: VAULT_EVENTS, logs: logsOf(logs, vault) }).map(({ eventName, args }) => ({
    isDeposit: eventName === 'Deposit',
    owner: args.owner,
    assets: args.assets,
    shares: args.shares,
  }));

/** Shares with their cost. */
interface Part {
  readonly shares: bigint;
  readonly assets: bigint;
}

/** For each transfer, by its log, the newly deposited shares that it moves. */
function followShares(transfers: readonly ReceiptTransfer[], flows: readonly Flow[]): ReadonlyMap<number, Part> {
  const open = [...flows];
  const held = new Map<Address, Part>();
  const moved = new Map<number, Part>();
  for (const { from, to, amount, logIndex } of transfers) {
    const part = isAddressEqual(from, zeroAddress)
      ? takeFlow(open, { owner: to, amount })
      : takePart(held, { owner: from, amount });
    if (part === undefined) continue;
    moved.set(logIndex, part);
    const { shares, assets } = held.get(to) ?? { shares: 0n, assets: 0n };
    held.set(to, { shares: shares + part.shares, assets: assets + part.assets });
  }
  return moved;
}

/** The flow of minted shares: it has their owner and their number. */
function takeFlow(open: Flow[], { owner, amount }: { owner: Address; amount: bigint }): Part | undefined {
  const position = open.findIndex((flow) => flow.shares === amount && isAddressEqual(flow.owner, owner));
  const [flow] = position < 0 ? [] : open.splice(position, 1);
  return flow;
}

/** Takes shares out of what an owner has deposited, with their part of the assets, rounded down. */
function takePart(held: Map<Address, Part>, { owner, amount }: { owner: Address; amount: bigint }): Part | undefined {
  const part = held.get(owner);
  if (part === undefined || part.shares === 0n) return undefined;
  const shares = amount < part.shares ? amount : part.shares;
  const assets = (part.assets * shares) / part.shares;
  held.set(owner, { shares: part.shares - shares, assets: part.assets - assets });
  return { shares, assets };
}

const reverse = ({ from, to, amount, logIndex }: ReceiptTransfer): ReceiptTransfer => ({
  from: to,
  to: from,
  amount,
  logIndex,
});

type Change = Pick<PositionChange, 'kind' | 'shares' | 'assets' | 'sharePriceRay'>;

/**
 * A transfer as the deposit or withdrawal that it is part of. One that moves other shares as well is a plain transfer: a tiny
 * deposit must not set the price of many shares.
 */
function changeOf(
  { amount }: ReceiptTransfer,
  { isIn, part }: { readonly isIn: boolean; readonly part: Part | undefined },
): Change {
  if (part?.shares !== amount) {
    return { kind: isIn ? 'transferIn' : 'transferOut', shares: amount, assets: undefined, sharePriceRay: undefined };
  }
  const sharePriceRay = (part.assets * RAY) / amount;
  return { kind: isIn ? 'deposit' : 'withdrawal', shares: amount, assets: part.assets, sharePriceRay };
}
