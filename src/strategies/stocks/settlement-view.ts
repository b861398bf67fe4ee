import type { Address } from 'viem';
import { type ActionRow } from '../../actions/action-row';
import { stepView, type StepView } from '../../actions/action-view';
import { resolveWithin } from '../../async/resolve-within';
import { formatBaseUnits } from '../../money/base-units';
import { readHoldings } from '../../rpc/erc20';
import type { Rpc } from '../../rpc/rpc';
import type { Token } from '../../tokens/token';
import type { Strategy } from '../strategy';
import { distanceBps, priceNumber } from './price-order';
import type { OrderSide, StockOrder } from './stock-order';

/** An amount that the order wallet holds. */
export interface WalletBalanceView {
  readonly address: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly amountRaw: string;
  readonly amountHumanized: string;
}

export interface SettlementOrderView {
  readonly orderUid: string | undefined;
  readonly posted: boolean;
  readonly quoteId: string | undefined;
  readonly action: string;
  readonly sellAmount: string;
  readonly buyAmount: string;
  readonly status: string;
  /** Unix seconds. */
  readonly validTo: number;
  readonly creationDate: Date | undefined;
  readonly executionDate: Date | undefined;
  readonly executedSellAmount: string | undefined;
  readonly executedBuyAmount: string | undefined;
  readonly txHash: string | undefined;
  /** True while the order may be posted. */
  readonly canOpenOrder: boolean;
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly retryable: boolean;
  readonly lastPostError: string | undefined;
  readonly lastPostAttemptAt: Date | undefined;
  readonly providerError: string | undefined;
}

/** How far the order of an action is, and what its wallet holds. */
export interface SettlementView {
  readonly singleUseAddress: string;
  readonly fundsReturnedToWallet: boolean;
  readonly order: SettlementOrderView;
  /** `undefined` while the chain does not respond. */
  readonly balances: { readonly underlying: WalletBalanceView; readonly strategy: WalletBalanceView } | undefined;
  readonly timing: {
    readonly requestedAt: Date;
    readonly ageSeconds: number;
    /** From the request to the expiry of the order. */
    readonly deadlineSeconds: number;
    readonly refundAt: Date;
    readonly secondsUntilRefund: number;
  };
  readonly pricing: {
    readonly side: OrderSide;
    readonly referencePriceUsd: number;
    readonly livePriceUsd: number | undefined;
    readonly priceSource: string;
    /** Change of the price since the order was created. */
    readonly driftBps: number | undefined;
    readonly slippageBps: number;
  };
  readonly suwSteps: readonly (Pick<StepView, 'stepIndex' | 'status' | 'txHash' | 'legs'> & {
    readonly label: string;
  })[];
}

export interface SettlementDeps {
  readonly rpc: Pick<Rpc, 'multicall'>;
  /** Time for the balances of an order wallet, in milliseconds; 2,000 by default. Without them the rest is shown. */
  readonly balancesTimeoutMs?: number | undefined;
}

export interface SettlementRequest {
  readonly strategy: Strategy;
  readonly order: StockOrder;
  readonly action: ActionRow;
  /** Price of the issuer now; `undefined` when it has none. */
  readonly livePrice: bigint | undefined;
}

const BALANCES_TIMEOUT_MS = 2000;

export async function settlementView(
  { rpc, balancesTimeoutMs = BALANCES_TIMEOUT_MS }: SettlementDeps,
  { strategy, order, action, livePrice }: SettlementRequest,
): Promise<SettlementView> {
  const { referencePrice, side, slippageBps, orderWallet } = order;
  const reading = resolveWithin(readBalances(rpc, strategy, orderWallet), balancesTimeoutMs).catch(() => undefined);
  return {
    singleUseAddress: orderWallet,
    fundsReturnedToWallet: order.refundedAt !== undefined,
    order: orderOf(order),
    balances: await reading,
    timing: timingOf(order),
    pricing: {
      side,
      referencePriceUsd: priceNumber(referencePrice),
      livePriceUsd: livePrice === undefined ? undefined : priceNumber(livePrice),
      priceSource: 'issuer',
      driftBps: livePrice === undefined ? undefined : distanceBps(livePrice, referencePrice),
      slippageBps,
    },
    suwSteps: action.steps.map((step) => {
      const { stepIndex, status, txHash, legs } = stepView(step, action);
      return { stepIndex, label: LABELS[step.kind] ?? step.kind, status, txHash, legs };
    }),
  };
}

const LABELS: Readonly<Record<string, string>> = {
  TRANSFER: 'Transfer to the order wallet',
  ORDER: 'Order',
  REFUND: 'Refund to the wallet',
};

async function readBalances(rpc: Pick<Rpc, 'multicall'>, strategy: Strategy, owner: Address) {
  const { underlying, receipt, chain } = strategy;
  const tokens = [underlying, receipt].map(({ address }) => ({ token: address, owner }));
  const [dollars, stocks] = await readHoldings({ rpc, chainId: chain.chainId }, tokens);
  if (dollars?.balance === undefined || stocks?.balance === undefined) return undefined;
  return { underlying: balanceView(underlying, dollars.balance), strategy: balanceView(receipt, stocks.balance) };
}

const balanceView = ({ address, symbol, decimals }: Token, amount: bigint): WalletBalanceView => ({
  address,
  symbol,
  decimals,
  amountRaw: amount.toString(),
  amountHumanized: formatBaseUnits(amount, decimals),
});

function orderOf(order: StockOrder): SettlementOrderView {
  const { postedAt, step, providerError, lastPostError, lastFailure } = order;
  const isOpenable = step === 'AWAITING_FUNDS' || step === 'PREPARING';
  return {
    orderUid: order.orderUid,
    posted: postedAt !== undefined,
    quoteId: order.quoteId?.toString(),
    action: order.side === 'BUY' ? 'request-lend' : 'request-withdraw',
    sellAmount: order.sellAmount.toString(),
    buyAmount: order.buyAmount.toString(),
    status: step,
    validTo: secondsOf(order.validTo),
    creationDate: postedAt,
    executionDate: order.executedAt,
    executedSellAmount: order.executedSellAmount?.toString(),
    executedBuyAmount: order.executedBuyAmount?.toString(),
    txHash: order.executionTxHash,
    canOpenOrder: isOpenable && providerError === undefined,
    code: providerError,
    message: lastPostError ?? lastFailure,
    retryable: isOpenable,
    lastPostError,
    lastPostAttemptAt: order.lastPostAttemptAt,
    providerError,
  };
}

const secondsOf = (date: Date): number => Math.trunc(date.getTime() / 1000);

function timingOf({ createdAt, validTo }: StockOrder): SettlementView['timing'] {
  const now = secondsOf(new Date());
  return {
    requestedAt: createdAt,
    ageSeconds: now - secondsOf(createdAt),
    deadlineSeconds: secondsOf(validTo) - secondsOf(createdAt),
    refundAt: validTo,
    secondsUntilRefund: Math.max(0, secondsOf(validTo) - now),
  };
}
