import { encodeFunctionData, erc20Abi } from 'viem';
import { lockCustomer } from '../../auth/lock-customer';
import type { CustomerId } from '../../auth/principal';
import { assertNotBlocked } from '../../auth/sanctions';
import type { RawFields } from '../../errors/field-reader';
import { invariant } from '../../errors/invariant-error';
import { serviceError } from '../../errors/service-error';
import { formatBaseUnits, toBaseUnits } from '../../money/base-units';
import { type MicroUsd, ONE_DOLLAR, plausibleUsd, usdValue } from '../../money/usd';
import { uuidV7 } from '../../persistence/uuid-v7';
import { assertRecipients } from '../../quotes/request/recipient-check';
import { readHoldings } from '../../rpc/erc20';
import type { Token } from '../../tokens/token';
import { actionFees } from '../../transactions/action-fees';
import type { ActionPlan } from '../../transactions/action-plan';
import { buildCallsOutput } from '../../transactions/execution/calls/build-calls-output';
import { tagCall } from '../../transactions/execution/calls/tag-call';
import type { ExecutableCalls } from '../../transactions/execution/executable';
import { expectedCalls } from '../../transactions/expected-calls';
import { slugOf } from '../catalog/merge-rows';
import { lendingProblemError, readingChain, unreadableError } from '../operations/lending-failure';
import type { OperationDeps } from '../operations/operation-deps';
import type { OperationView } from '../operations/operation-view';
import { simulateStrategyOperation } from '../operations/simulate-strategy-operation';
import type { Strategy } from '../strategy';
import { STOCKS } from '../strategy-row';
import { assertGasBudget, assertGasPaid, assertMayOrder, assertWorth } from './order-bounds';
import { orderView } from './order-operation-view';
import { parseStockRequest, type SoldAmount, type StockRequest } from './parse-stock-request';
import type { PlannedOrder } from './planned-order';
import { dollarsFor, outputAt, priceOfCents, priceOrder, tokensFor, tokensWorth } from './price-order';
import type { StockTrade } from './stock-issuer';
import type { StockServices } from './stock-services';

interface CreateStockOrderParameters {
  readonly customerId: CustomerId;
  readonly strategy: Strategy;
  readonly fields: RawFields;
  readonly signal: AbortSignal;
}

const MARKET_LIFETIME_SECONDS = 3600;
const LIMIT_LIFETIME_SECONDS = 86_400;

/**
 * Prices an order of a tokenized stock, and creates its action and the transfer that pays it into a wallet of its own. Once that
 * is final, a worker posts the order.
 *
 * @throws VALIDATION_ERROR, FORBIDDEN, RATE_LIMIT_EXCEEDED, LENDING_BAD_REQUEST, LENDING_SERVICE_UNAVAILABLE,
 * TOKENIZED_STOCK_NOT_CONFIGURED, TOKENIZED_STOCK_SOFT_QUOTE_UNAVAILABLE; without a limit price also
 * TOKENIZED_STOCK_ATTESTATION_FAILED and TOKENIZED_STOCK_FLOOR_BREACH; the errors of user operations
 */
export async function createStockOrder(
  deps: OperationDeps,
  { customerId, strategy, fields, signal }: CreateStockOrderParameters,
): Promise<OperationView> {
  const request = parseStockRequest(deps, strategy, fields);
  const { stocks } = deps;
  if (stocks === undefined) throw serviceError('TOKENIZED_STOCK_NOT_CONFIGURED');
  assertNotBlocked(deps.blockedAddresses, [request.wallet, request.recipient]);
  await deps.assertMayOpen(customerId, ['openActions']);
  await assertMayOrder(deps.database, customerId, stocks.bounds);
  await assertGasBudget(stocks, customerId);
  await assertGasPaid(stocks.venue, strategy);
  const recipients = [{ path: 'destinationAddress', chain: strategy.chain, address: request.recipient }];
  if (request.recipient !== request.wallet) await assertRecipients(deps, recipients, signal);
  const order = await planOrder(deps, stocks, { customerId, strategy, request, signal });
  const executable = await buildTransfer(deps, order, signal);
  // The issuer bounds the signed prices of a deployment: last, once nothing else can refuse the order.
  if (request.limitCents === undefined) await assertFloor(stocks, order, signal);
  const plan = actionPlan(order, executable);
  await deps.database.$transaction(async (tx) => {
    await lockCustomer(tx, customerId);
    await assertMayOrder(tx, customerId, stocks.bounds);
    await deps.startAction(tx, plan);
    await tx.stockOrder.create({ data: rowOf(order) });
  });
  return orderView(order, executable);
}

interface OrderRequest {
  readonly customerId: CustomerId;
  readonly strategy: Strategy;
  readonly request: StockRequest;
  readonly signal: AbortSignal;
}

async function planOrder(
  deps: OperationDeps,
  { issuer, venue, bounds }: StockServices,
  { customerId, strategy, request, signal }: OrderRequest,
): Promise<PlannedOrder> {
  const { side, amount, limitCents, expireAt } = request;
  const [sold, bought] = soldAndBought(strategy, side);
  const balance = await balanceOf(deps, { strategy, token: sold, owner: request.wallet, signal });
  // The issuer quotes no price for nothing, and none to a wallet that has nothing to sell. How many tokens an amount of dollars takes, depends on the price.
  const known = knownAmount({ side, amount, balance });
  assertFunded(sold, { balance, sellAmount: known ?? (balance === 0n ? 1n : balance) });
  if (amount.kind === 'dollars') assertWorth(bounds, strategy, amount.dollars);
  const spotPrice = await issuer.softPrice(tradeOf(strategy, { side, amount, balance }), signal);
  const limitPrice = limitCents === undefined ? spotPrice : priceOfCents(limitCents);
  const sellAmount = soldAmount(strategy, { side, amount, balance }, limitPrice);
  assertFunded(sold, { balance, sellAmount });
  if (side === 'SELL') assertWorth(bounds, strategy, dollarsFor(strategy, sellAmount, spotPrice));
  const priced = priceOrder(strategy, { side, sellAmount, spotPrice, limitCents });
  if (priced.buyAmount === 0n) throw lendingProblemError({ kind: 'TOO_SMALL', message: 'the amount buys nothing' });
  const lifetime = limitCents === undefined ? MARKET_LIFETIME_SECONDS : LIMIT_LIFETIME_SECONDS;
  const validTo = expireAt === undefined ? await deps.quoteDeadline(lifetime) : new Date(expireAt * 1000);
  const transferBy = await deps.quoteDeadline(deps.quoteLifetimeSeconds + deps.actionExpirySeconds);
  const expiresAt = transferBy < validTo ? transferBy : validTo;
  const actionId = uuidV7();
  const orderWallet = venue.walletOf(actionId);
  return { customerId, actionId, strategy, request, orderWallet, sold, bought, priced, spotPrice, validTo, expiresAt };
}

const soldAndBought = ({ underlying, receipt }: Strategy, side: StockRequest['side']): readonly [Token, Token] =>
  side === 'BUY' ? [underlying, receipt] : [receipt, underlying];

interface Balance {
  readonly strategy: Strategy;
  readonly token: Token;
  readonly owner: string;
  readonly signal: AbortSignal;
}

async function balanceOf({ rpc }: OperationDeps, { strategy, token, owner, signal }: Balance): Promise<bigint> {
  const { chainId } = strategy.chain;
  const reading = readHoldings({ rpc, chainId }, [{ token: token.address, owner }], { signal });
  const [{ balance } = { balance: undefined }] = await readingChain(reading);
  if (balance === undefined) throw unreadableError(`the ${token.symbol} of the wallet`);
  return balance;
}

interface Sale {
  readonly side: StockRequest['side'];
  readonly amount: SoldAmount;
  readonly balance: bigint;
}

/** The trade as the issuer prices it: dollars or tokens, with 18 decimals. */
function tradeOf(strategy: Strategy, { side, amount, balance }: Sale): StockTrade {
  const { underlying, receipt } = strategy;
  if (amount.kind === 'dollars') return { strategy, side, amount: { dollars: with18(amount.dollars, underlying) } };
  const tokens = amount.kind === 'all' ? balance : amount.tokens;
  return { strategy, side, amount: { tokens: with18(tokens, receipt) } };
}

/** An amount with 18 decimals, rounded up. */
function with18(amount: bigint, { decimals }: Token): bigint {
  if (decimals <= 18) return amount * 10n ** BigInt(18 - decimals);
  const unit = 10n ** BigInt(decimals - 18);
  return (amount + unit - 1n) / unit;
}

/** A sale for an amount of dollars takes as many tokens as bring them at the price of the order. */
function soldAmount(strategy: Strategy, { side, amount, balance }: Sale, price: bigint): bigint {
  const known = knownAmount({ side, amount, balance });
  if (known !== undefined) return known;
  return amount.kind === 'dollars' ? tokensWorth(strategy, amount.dollars, price) : balance;
}

/** The amount of the sale, where that depends on no price. */
function knownAmount({ side, amount, balance }: Sale): bigint | undefined {
  if (amount.kind === 'all') return balance;
  if (amount.kind === 'tokens') return amount.tokens;
  return side === 'BUY' ? amount.dollars : undefined;
}

function assertFunded(
  token: Token,
  { balance, sellAmount }: { readonly balance: bigint; readonly sellAmount: bigint },
): void {
  if (balance >= sellAmount && sellAmount > 0n) return;
  const { symbol, decimals } = token;
  const [has = '', needs = ''] = [balance, sellAmount].map((units) => formatBaseUnits(units, decimals));
  const message =
    balance === 0n ? `The wallet has no ${symbol}.` : `The wallet has ${has} ${symbol}, and the order needs ${needs}.`;
  throw lendingProblemError({ kind: 'BALANCE', message, maximum: { amount: balance, token } });
}

/**
 * The issuer must be willing to sign a price that the order accepts.
 *
 * @throws TOKENIZED_STOCK_ATTESTATION_FAILED, TOKENIZED_STOCK_FLOOR_BREACH
 */
async function assertFloor({ issuer }: StockServices, order: PlannedOrder, signal: AbortSignal): Promise<void> {
  const { strategy, request, priced, spotPrice } = order;
  const { side } = request;
  const { sellAmount, buyAmount } = priced;
  const tokens = with18(side === 'BUY' ? tokensFor(strategy, sellAmount, spotPrice) : sellAmount, strategy.receipt);
  const price = await issuer.attestedPrice({ strategy, side, amount: { tokens } }, signal);
  const output = outputAt(strategy, { side, sellAmount }, price);
  if (output >= buyAmount) return;
  const details = { minimum: buyAmount.toString(), attested: output.toString() };
  throw serviceError('TOKENIZED_STOCK_FLOOR_BREACH', {}, { details });
}

/** The transfer into the order wallet: exactly the amount leaves the wallet and arrives. */
async function buildTransfer(deps: OperationDeps, order: PlannedOrder, signal: AbortSignal): Promise<ExecutableCalls> {
  const { customerId, actionId, strategy, request, orderWallet, sold, priced, expiresAt } = order;
  const { wallet, output, accountId } = request;
  const { chain } = strategy;
  const args = [orderWallet, priced.sellAmount] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
  const call = tagCall({ chainId: chain.chainId, from: wallet, to: sold.address, data, value: 0n }, actionId);
  const access = { token: sold.address, spender: undefined };
  const { parts, simulation, gasLimit } = await simulateStrategyOperation(deps.rpc, {
    chainId: chain.chainId,
    sender: wallet,
    parts: [{ kind: 'TRANSFER', protocol: STOCKS, approvals: [], call, access }],
    expected: [
      { token: sold, owner: wallet, atLeast: 0n - priced.sellAmount },
      { token: sold, owner: orderWallet, atLeast: priced.sellAmount },
    ],
    stateOverrides: undefined,
    explainRevert: () => undefined,
    signal,
  });
  const [part] = parts;
  invariant(part !== undefined, 'an order has a transfer');
  const terms = { customerId, actionId, chain, sender: wallet, output, accountId, signal };
  // A user operation that could be executed later would pay into the wallet of an order that has ended.
  const form = { ...terms, sponsored: false, deadline: expiresAt };
  const executable = await buildCallsOutput(deps, form, { approvals: [], swap: part.call, simulation, gasLimit });
  if (executable.simulation.status !== 'REVERTED') return executable;
  const reason = executable.simulation.reason ?? 'without a reason';
  throw lendingProblemError({ kind: 'REVERTED', message: `the user operation would revert: ${reason}` });
}

/** An action of two steps: the wallet pays, then the order is filled. */
function actionPlan(order: PlannedOrder, executable: ExecutableCalls): ActionPlan {
  const { actionId: id, customerId, strategy, request, sold, bought, priced, spotPrice, expiresAt } = order;
  const { chain, row, underlying } = strategy;
  const { chainId } = chain;
  const isBuy = request.side === 'BUY';
  const dollarsBought = isBuy ? dollarsFor(strategy, priced.expected, spotPrice) : priced.expected;
  return {
    id,
    customerId,
    quoteId: undefined,
    strategy: { id: row.id, slug: slugOf(row.id) },
    type: isBuy ? 'SAMECHAIN_INVESTMENT_DEPOSIT' : 'SAMECHAIN_INVESTMENT_WITHDRAW',
    isDraft: false,
    provider: row.protocol,
    webhookUrl: request.webhookUrl,
    originAddress: request.wallet,
    receiverAddress: request.recipient,
    refundAddress: undefined,
    chainIdIn: chainId,
    chainIdOut: chainId,
    tokenIn: sold,
    tokenOut: bought,
    amountIn: toBaseUnits(priced.sellAmount),
    amountOut: toBaseUnits(priced.expected),
    minAmountOut: toBaseUnits(priced.buyAmount),
    amountInUsd: plausibleUsd(soldUsd(order)),
    amountOutUsd: plausibleUsd(usdValue(dollarsBought, underlying.decimals, ONE_DOLLAR)),
    fees: actionFees([]),
    expiresAt,
    steps: [
      { kind: 'TRANSFER', operator: 'USER', protocol: STOCKS, chainId },
      { kind: 'ORDER', operator: 'PROVIDER', protocol: 'cow', chainId },
    ],
    calls: expectedCalls(executable),
    delivery: undefined,
  };
}

/** What the amount sold is worth at the price of the market. */
function soldUsd({ strategy, request, priced, spotPrice }: PlannedOrder): MicroUsd {
  const { sellAmount } = priced;
  const dollars = request.side === 'BUY' ? sellAmount : dollarsFor(strategy, sellAmount, spotPrice);
  return usdValue(dollars, strategy.underlying.decimals, ONE_DOLLAR);
}

function rowOf(order: PlannedOrder) {
  const { actionId, customerId, strategy, request, orderWallet, sold, bought, priced, spotPrice, validTo } = order;
  return {
    actionId,
    customerId,
    strategyId: strategy.row.id,
    chainId: strategy.chain.chainId,
    owner: request.wallet,
    receiver: request.recipient,
    orderWallet,
    side: request.side,
    sellToken: sold.address,
    buyToken: bought.address,
    sellAmount: priced.sellAmount.toString(),
    buyAmount: priced.buyAmount.toString(),
    limitPriceCents: request.limitCents ?? null,
    referencePrice: spotPrice.toString(),
    slippageBps: priced.slippageBps,
    sellMicroUsd: soldUsd(order).toString(),
    // Whole seconds, as the order has it.
    validTo: new Date(Math.trunc(validTo.getTime() / 1000) * 1000),
  };
}
