import { type Address, isAddressEqual, type Log, parseAbi, parseEventLogs } from 'viem';
import { RAY } from '../../../money/ray';
import type { Strategy } from '../../strategy';
import type { PositionChange, ProtocolEvents } from '../protocol';
import { logsOf, logPlace, receiptTransferFilters, transfersOf } from '../receipt-transfers';

const POOL_EVENTS = parseAbi([
  'event Supply(address indexed reserve, address user, address indexed onBehalfOf, uint256 amount, uint16 indexed referralCode)',
  'event Withdraw(address indexed reserve, address indexed user, address indexed to, uint256 amount)',
]);

const TOKEN_EVENTS = parseAbi([
  'event Mint(address indexed caller, address indexed onBehalfOf, uint256 value, uint256 balanceIncrease, uint256 index)',
  'event Burn(address indexed from, address indexed target, uint256 value, uint256 balanceIncrease, uint256 index)',
  'event BalanceTransfer(address indexed from, address indexed to, uint256 value, uint256 index)',
]);

/** Versions from 3.5 round the balances in Mint and Burn, so that the amount that follows from them is one unit off. */
const MAX_ROUNDING = 1n;

/**
 * Deposits and withdrawals by the Pool's events, which state the amounts. The transfers of the token contain interest: a
 * withdrawal below the interest since the last one even mints tokens. Shares are scaled tokens. A contract may take tokens of the
 * wallet and withdraw them in the same transaction: that counts as the wallet's own withdrawal.
 */
export const aaveV3Events: ProtocolEvents = {
  filters: ({ receipt }, wallet) => receiptTransferFilters(receipt.address as Address, wallet),
  changes: (strategy, wallet, logs) => {
    const own = flowsOf(strategy, logs).filter(({ owner }) => isAddressEqual(owner, wallet));
    const amounts = own.map(({ amount }) => amount);
    const { matched, others } = matchFlows(amounts, accrualsOf(strategy, wallet, logs));
    const flows = matched.map(({ flow, accrual }) => changeOf(flow > 0n ? 'deposit' : 'withdrawal', flow, accrual));
    // Repayments with aTokens and liquidations burn tokens without a withdrawal; bridges mint them without a deposit.
    const rest = others.map((accrual) =>
      changeOf(accrual.net > 0n ? 'transferIn' : 'transferOut', accrual.net, accrual),
    );
    const changes = [...flows, ...rest, ...balanceTransfersOf(strategy, wallet, logs)];
    return changes.flatMap((change) => change ?? []).sort((one, other) => one.logIndex - other.logIndex);
  },
};

/** A change of the scaled balance, with the interest of the former balance left out. */
interface Accrual {
  readonly log: Log;
  /** Assets that were added; negative when they were taken out. */
  readonly net: bigint;
  readonly index: bigint;
}

function accrualsOf({ receipt }: Strategy, wallet: Address, logs: readonly Log[]): readonly Accrual[] {
  const events = parseEventLogs({ abi: TOKEN_EVENTS, logs: logsOf(logs, receipt.address as Address) });
  return events.flatMap((event): readonly Accrual[] => {
    if (event.eventName === 'BalanceTransfer') return [];
    const { value, balanceIncrease, index } = event.args;
    const isMint = event.eventName === 'Mint';
    const owner = isMint ? event.args.onBehalfOf : event.args.from;
    const net = isMint ? value - balanceIncrease : -(value + balanceIncrease);
    return net !== 0n && isAddressEqual(owner, wallet) ? [{ log: event, net, index }] : [];
  });
}

/** A deposit or withdrawal by the Pool. */
interface Flow {
  readonly owner: Address;
  /** Negative for a withdrawal. */
  readonly amount: bigint;
  readonly logIndex: number;
}

/** Deposits and withdrawals in order. */
function flowsOf({ underlying, contracts }: Strategy, logs: readonly Log[]): readonly Flow[] {
  const { pool } = contracts;
  if (pool === undefined) return [];
  return parseEventLogs({ abi: POOL_EVENTS, logs: logsOf(logs, pool) }).flatMap(({ eventName, args, logIndex }) => {
    const isSupply = eventName === 'Supply';
    if (!isAddressEqual(args.reserve, underlying.address as Address)) return [];
    const owner = isSupply ? args.onBehalfOf : args.user;
    return [{ owner, amount: isSupply ? args.amount : -args.amount, logIndex }];
  });
}

function matchFlows(
  flows: readonly bigint[],
  accruals: readonly Accrual[],
): {
  readonly matched: readonly { readonly flow: bigint; readonly accrual: Accrual }[];
  readonly others: readonly Accrual[];
} {
  const others = [...accruals];
  const matched = flows.flatMap((flow) => {
    const position = others.findIndex(({ net }) => isRounded(net, flow));
    const [accrual] = position < 0 ? [] : others.splice(position, 1);
    return accrual === undefined ? [] : { flow, accrual };
  });
  return { matched, others };
}

const isRounded = (net: bigint, flow: bigint): boolean => {
  const difference = net - flow;
  return net > 0n === flow > 0n && difference <= MAX_ROUNDING && -difference <= MAX_ROUNDING;
};

function changeOf(
  kind: PositionChange['kind'],
  flow: bigint,
  { log, net, index }: Accrual,
): PositionChange | undefined {
  const place = logPlace(log);
  if (place === undefined) return undefined;
  const assets = flow > 0n ? flow : -flow;
  const isExact = net === flow;
  return {
    kind,
    shares: scaledOf({ assets, index, isExact, isInflow: flow > 0n }),
    assets,
    sharePriceRay: index,
    ...place,
  };
}

/**
 * Scaled tokens of an amount. Versions up to 3.4 round to the nearest, and their events state the exact amount; later ones
 * round for the Pool.
 */
function scaledOf(change: {
  readonly assets: bigint;
  readonly index: bigint;
  readonly isExact: boolean;
  readonly isInflow: boolean;
}): bigint {
  const { assets, index, isExact, isInflow } = change;
  if (isExact) return (assets * RAY + index / 2n) / index;
  return isInflow ? (assets * RAY) / index : (assets * RAY + index - 1n) / index;
}

function balanceTransfersOf(
  strategy: Strategy,
  wallet: Address,
  logs: readonly Log[],
): readonly (PositionChange | undefined)[] {
  const token = strategy.receipt.address as Address;
  const withdrawals = flowsOf(strategy, logs).filter(({ amount }) => amount < 0n);
  const transfers = transfersOf(logs, token);
  const events = parseEventLogs({ abi: TOKEN_EVENTS, eventName: 'BalanceTransfer', logs: logsOf(logs, token) });
  return events.map((event) => {
    const { from, to, value, index } = event.args;
    const [isFrom, isTo] = [isAddressEqual(from, wallet), isAddressEqual(to, wallet)];
    const place = logPlace(event);
    if (isFrom === isTo || value === 0n || place === undefined) return undefined;
    // The token emits its Transfer before it: others between the same parties belong to other transfers.
    const own = transfers.findLast(
      (transfer) =>
        transfer.logIndex < place.logIndex && isAddressEqual(transfer.from, from) && isAddressEqual(transfer.to, to),
    );
    const isUnscaled = halfUp(value * index, RAY) !== value && own?.amount === value;
    const shares = isUnscaled ? halfUp(value * RAY, index) : value;
    const assets = (shares * index) / RAY;
    const change = { shares, assets, sharePriceRay: index, ...place };
    if (isTo) return { kind: 'transferIn', ...change };
    const withdrawn = takeWithdrawal(withdrawals, { owner: to, assets, logIndex: place.logIndex });
    return withdrawn === undefined
      ? { kind: 'transferOut', ...change }
      : { kind: 'withdrawal', ...change, assets: withdrawn };
  });
}

/** What the recipient of a transfer withdraws of it afterwards: all of it, up to rounding. */
function takeWithdrawal(
  withdrawals: Flow[],
  { owner, assets, logIndex }: { readonly owner: Address; readonly assets: bigint; readonly logIndex: number },
): bigint | undefined {
  const position = withdrawals.findIndex(
    (flow) => flow.logIndex > logIndex && isAddressEqual(flow.owner, owner) && isRounded(flow.amount, -assets),
  );
  const [flow] = position < 0 ? [] : withdrawals.splice(position, 1);
  return flow === undefined ? undefined : -flow.amount;
}

const halfUp = (numerator: bigint, denominator: bigint): bigint => (numerator + denominator / 2n) / denominator;
