import { formatBaseUnits } from '../../money/base-units';
import type { SimulationView } from '../../quotes/quote-view';
import type { PricedSwap } from '../../quotes/quote-swap';
import type { Token } from '../../tokens/token';
import type { ExecutableCalls } from '../../transactions/execution/executable';
import { type ExecutionView, executionView } from '../../transactions/execution/execution-view';
import { type CallItem, callItem } from '../../transactions/execution/transaction-item';
import { sumOfFees } from './fee-parts';
import {
  type BuiltOperation,
  type FeeWaiver,
  type Operation,
  type OperationRoute,
  type OperationType,
  operationType,
} from './resolved-operation';

/** An amount of a token, in base units and in whole tokens. */
export interface OperationAmountView {
  /** Address of the token. */
  readonly asset: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly value: string;
  readonly humanized: string;
}

/** The swap or order of an operation as existing clients read it. */
export interface OperationQuoteView {
  readonly quoteId: string;
  readonly provider: string;
  /** The same as `provider`, under the name that existing clients use. */
  readonly bridge: string;
  readonly sender: string;
  readonly fromChainId: string;
  readonly fromTokenAddress: string;
  readonly toChainId: string;
  readonly toTokenAddress: string;
  readonly inputAmount: OperationAmountView;
  readonly outputAmount: OperationAmountView;
  readonly minimumOutputAmount: OperationAmountView;
  readonly deadlineDate: Date;
  /** Price of a tokenized stock in US dollars. Orders only. */
  readonly spotPriceUsd?: number | undefined;
  /** Limit price of the caller in US dollars. Orders with a limit price only. */
  readonly clientLimitPriceUsd?: number | undefined;
  /** Distance of the limit price from the price of the stock, in basis points; positive above it. */
  readonly distanceBps?: number | undefined;
}

export interface OperationView extends Pick<ExecutionView, 'userOperation' | 'custody'> {
  /** Id of the action. */
  readonly id: string;
  readonly strategyId: string;
  readonly type: OperationType;
  /** All fees in base units of the underlying asset: of the deposit, or on the profit of the withdrawal. */
  readonly feeCharged: string;
  /** Why a fee that applies is not charged; null when all are. */
  readonly feeWaiver: FeeWaiver | null;
  readonly chainIdIn: number;
  readonly chainIdOut: number;
  readonly crossChain: { readonly isCrossChain: boolean; readonly chainIdIn: number; readonly chainIdOut: number };
  /** The swap before a deposit or after a withdrawal, the transfer from or to another chain, or the order. */
  readonly quote: OperationQuoteView | null;
  /** What the operation gives at the time of the request: of the receipt token, or of the token that is received. */
  readonly expected: OperationAmountView;
  readonly transactionData: readonly CallItem[];
  /** The same list, under the name that existing clients use. */
  readonly bytecode: readonly CallItem[];
  readonly simulation: SimulationView;
}

interface CreatedOperation {
  readonly operation: Operation;
  readonly built: BuiltOperation;
  readonly executable: ExecutableCalls;
  readonly route: OperationRoute;
}

export function operationView({ operation, built, executable, route }: CreatedOperation): OperationView {
  const { actionId: id, request, strategy } = operation;
  const { userOperation, custody } = executionView(executable);
  const transactions = [...executable.approvals, executable.swap].map(callItem);
  const chains = { chainIdIn: route.origin.chainId, chainIdOut: route.destination.chainId };
  return {
    ...chains,
    ...(userOperation === undefined ? {} : { userOperation }),
    ...(custody === undefined ? {} : { custody }),
    id,
    strategyId: strategy.row.id,
    type: operationType(request, route),
    feeCharged: sumOfFees(built.fees).toString(),
    feeWaiver: built.waiver ?? null,
    crossChain: { isCrossChain: chains.chainIdIn !== chains.chainIdOut, ...chains },
    quote: built.swap === undefined ? null : quoteOf(built.swap, request.wallet),
    expected: operationAmountView(receivedToken(operation, built), built.received.amount),
    transactionData: transactions,
    bytecode: transactions,
    simulation: executable.simulation,
  };
}

/** What a withdrawal is swapped into stands as in its quote. */
const receivedToken = ({ request: { action } }: Operation, { received, swap }: BuiltOperation): Token =>
  action === 'withdraw' && swap !== undefined ? requestedTokens(swap).tokenOut : received.token;

/** The tokens of a swap, with the native coin in the form that the caller used. */
const requestedTokens = ({ intent, request }: PricedSwap): { readonly tokenIn: Token; readonly tokenOut: Token } => ({
  tokenIn: { ...request.tokenIn, address: intent.tokenIn.requestedAddress },
  tokenOut: { ...request.tokenOut, address: intent.tokenOut.requestedAddress },
});

function quoteOf(swap: PricedSwap, sender: string): OperationQuoteView {
  const { quoteId, request, offer, deadline } = swap;
  const { origin, destination } = request;
  const { tokenIn, tokenOut } = requestedTokens(swap);
  return {
    quoteId,
    provider: offer.provider,
    bridge: offer.provider,
    sender,
    fromChainId: origin.chainId.toString(),
    fromTokenAddress: tokenIn.address,
    toChainId: destination.chainId.toString(),
    toTokenAddress: tokenOut.address,
    inputAmount: operationAmountView(tokenIn, offer.amountIn),
    outputAmount: operationAmountView(tokenOut, offer.expectedAmountOut),
    minimumOutputAmount: operationAmountView(tokenOut, offer.minAmountOut),
    deadlineDate: deadline,
  };
}

export const operationAmountView = ({ address, symbol, decimals }: Token, amount: bigint): OperationAmountView => ({
  asset: address,
  symbol,
  decimals,
  value: amount.toString(),
  humanized: formatBaseUnits(amount, decimals),
});
