import { type Address, getAbiItem, isAddressEqual, type Log, parseEventLogs, toEventSelector } from 'viem';
import { isRequested, type Strategy } from '../../strategy';
import type { LogFilter, PositionChange, ProtocolEvents } from '../protocol';
import { addressTopic, logsOf, logPlace } from '../receipt-transfers';
import { REQUEST_EVENTS } from './erc7540-abi';

const WITHDRAW_TOPIC = toEventSelector(getAbiItem({ abi: REQUEST_EVENTS, name: 'Withdraw' }));
const REDEEM_REQUEST_TOPIC = toEventSelector(getAbiItem({ abi: REQUEST_EVENTS, name: 'RedeemRequest' }));

/**
 * Changes of a deposit in an asynchronous vault, on top of those that the transfers of its shares show:
 *
 * - Shares that a wallet hands in with a request of its own stay in its position. They leave it when their assets are claimed,
 *   for these assets.
 * - Shares of a claimed deposit have the assets of the claim, wherever the vault has kept them. Their price at that time is not
 *   that of the claim.
 * - Shares that another account has requested to withdraw for the wallet are received, and those for another account are sent.
 */
export const requestEvents = (sync: ProtocolEvents): ProtocolEvents => ({
  filters: (strategy, wallet) => [...sync.filters(strategy, wallet), ...requestFilters(strategy, wallet)],
  changes(strategy, wallet, logs) {
    const events = eventsOf(strategy, wallet, logs);
    const moved = sync.changes(strategy, wallet, logs).flatMap((change) => movedChange(change, events));
    if (!isRequested(strategy, 'withdraw')) return moved;
    return [...moved, ...events.claimed, ...events.received].toSorted((one, other) => one.logIndex - other.logIndex);
  },
});

/** Claims of withdrawals, and requests by other accounts, move no shares of the wallet. */
function requestFilters(strategy: Strategy, wallet: Address): readonly LogFilter[] {
  if (!isRequested(strategy, 'withdraw')) return [];
  const address = vaultOf(strategy);
  return [
    { address, topics: [WITHDRAW_TOPIC, null, null, addressTopic(wallet)] },
    { address, topics: [REDEEM_REQUEST_TOPIC, addressTopic(wallet)] },
  ];
}

const vaultOf = ({ row }: Strategy): Address => row.market;

interface RequestedShares {
  readonly shares: bigint;
  readonly assets: bigint;
}

interface RequestEvents {
  /** Deposits whose shares the wallet gets. Each belongs to one transfer. */
  readonly deposits: RequestedShares[];
  /** Shares that the wallet hands in for itself. Each belongs to one transfer. */
  readonly requested: bigint[];
  /** What `Withdraw` paid the wallet for. Each that burns shares of the wallet itself is a withdrawal without a request. */
  readonly claimed: PositionChange[];
  readonly received: readonly PositionChange[];
}

function eventsOf(strategy: Strategy, wallet: Address, logs: readonly Log[]): RequestEvents {
  const found: { -readonly [Name in keyof RequestEvents]: RequestEvents[Name][number][] } = {
    deposits: [],
    requested: [],
    claimed: [],
    received: [],
  };
  for (const log of parseEventLogs({ abi: REQUEST_EVENTS, logs: logsOf(logs, vaultOf(strategy)) })) {
    const place = logPlace(log);
    if (place === undefined || log.args.shares === 0n) continue;
    const { args } = log;
    const isOwner = isAddressEqual(args.owner, wallet);
    if (log.eventName === 'RedeemRequest') {
      const { shares } = args;
      const isController = isAddressEqual(log.args.controller, wallet);
      if (isOwner && isController) found.requested.push(shares);
      else if (isController)
        found.received.push({ kind: 'transferIn', shares, assets: undefined, sharePriceRay: undefined, ...place });
      continue;
    }
    if (!isOwner) continue;
    const { assets, shares } = log.args;
    if (log.eventName === 'Deposit') found.deposits.push({ assets, shares });
    else found.claimed.push({ kind: 'withdrawal', shares, assets, sharePriceRay: undefined, ...place });
  }
  return found;
}

/** A change that a transfer shows, as the requests of its transaction explain it. */
function movedChange(
  change: PositionChange,
  { deposits, requested, claimed }: RequestEvents,
): readonly PositionChange[] {
  const { kind, shares } = change;
  if (kind === 'transferOut' || kind === 'withdrawal') {
    const place = requested.findIndex((own) => own === shares);
    if (place < 0) {
      // Without a request, its `Withdraw` is in the change already. A closed vault pays at once.
      if (kind === 'withdrawal') removeClaim(claimed, change);
      return [change];
    }
    requested.splice(place, 1);
    return [];
  }
  const place = deposits.findIndex((own) => own.shares === shares);
  const [deposit] = place < 0 ? [] : deposits.splice(place, 1);
  if (deposit === undefined || kind === 'deposit') return [change];
  return [{ ...change, kind: 'deposit', assets: deposit.assets, sharePriceRay: undefined }];
}

function removeClaim(claimed: PositionChange[], { shares, assets }: PositionChange): void {
  const place = claimed.findIndex((claim) => claim.shares === shares && claim.assets === assets);
  if (place >= 0) claimed.splice(place, 1);
}
