import { uuidV7 } from '../../persistence/uuid-v7';
import type { ExecutableCalls } from '../../transactions/execution/executable';
import { executionView } from '../../transactions/execution/execution-view';
import { callItem } from '../../transactions/execution/transaction-item';
import { operationAmountView, type OperationQuoteView, type OperationView } from '../operations/operation-view';
import type { PlannedOrder } from './planned-order';
import { distanceBps, priceNumber, priceOfCents } from './price-order';

/** The venue of orders. */
const COW = 'cow';

/** An order as the caller of the bytecode route sees it. */
export function orderView(order: PlannedOrder, executable: ExecutableCalls): OperationView {
  const { actionId: id, strategy, request, bought, priced } = order;
  const { chainId, userOperation, custody } = executionView(executable);
  const chains = { chainIdIn: chainId, chainIdOut: chainId };
  const transactions = [callItem(executable.swap)];
  return {
    ...chains,
    ...(userOperation === undefined ? {} : { userOperation }),
    ...(custody === undefined ? {} : { custody }),
    id,
    strategyId: strategy.row.id,
    type: request.side === 'BUY' ? 'SAMECHAIN_INVESTMENT_DEPOSIT' : 'SAMECHAIN_INVESTMENT_WITHDRAW',
    feeCharged: '0',
    feeWaiver: null,
    crossChain: { isCrossChain: false, ...chains },
    quote: quoteOf(order),
    expected: operationAmountView(bought, priced.expected),
    transactionData: transactions,
    bytecode: transactions,
    simulation: executable.simulation,
  };
}

function quoteOf({ strategy, request, sold, bought, priced, spotPrice, validTo }: PlannedOrder): OperationQuoteView {
  const chainId = strategy.chain.chainId.toString();
  const { limitCents } = request;
  const limit = limitCents === undefined ? undefined : priceOfCents(limitCents);
  return {
    quoteId: uuidV7(),
    provider: COW,
    bridge: COW,
    sender: request.wallet,
    fromChainId: chainId,
    fromTokenAddress: sold.address,
    toChainId: chainId,
    toTokenAddress: bought.address,
    inputAmount: operationAmountView(sold, priced.sellAmount),
    outputAmount: operationAmountView(bought, priced.expected),
    minimumOutputAmount: operationAmountView(bought, priced.buyAmount),
    deadlineDate: validTo,
    spotPriceUsd: priceNumber(spotPrice),
    clientLimitPriceUsd: limit === undefined ? undefined : priceNumber(limit),
    distanceBps: limit === undefined ? undefined : distanceBps(limit, spotPrice),
  };
}
