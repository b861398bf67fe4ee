import { changeStatus } from '../../src/actions/state/change-status';
import type { CustomerId } from '../../src/auth/principal';
import { toBaseUnits } from '../../src/money/base-units';
import type { Database } from '../../src/persistence/database';
import { findStockOrders, type StockOrder } from '../../src/strategies/stocks/stock-order';
import { ALICE, createSampleAction, newCustomer, sampleToken } from '../actions/sample-action';
import type { ScriptedExchange } from './scripted-exchange';

export const DOLLARS = 1_000_000_000n;
export const STOCKS_BOUGHT = 5_000_000_000_000_000_000n;

interface SampleOrder {
  readonly customerId?: CustomerId;
  /** Null for an order at the price of the market. */
  readonly limitPriceCents?: bigint | null;
  readonly validTo?: Date;
  /** False for an order whose transfer was not seen yet. */
  readonly isFunded?: boolean;
}

/** An order of 1,000 USDT for 5 stocks, whose transfer is final. */
export async function createSampleOrder(
  database: Database,
  exchange: ScriptedExchange,
  options: SampleOrder = {},
): Promise<StockOrder> {
  const { limitPriceCents = 20_000n, validTo = new Date(Date.now() + 3_600_000), isFunded = true } = options;
  const chainId = 31337;
  const customerId = options.customerId ?? newCustomer();
  const { id } = await createSampleAction(database, {
    customerId,
    type: 'SAMECHAIN_INVESTMENT_DEPOSIT',
    provider: 'tokenized-stock',
    strategy: { id: 'Acme-ACMEon-devnet', slug: 'acme-acmeon-devnet' },
    tokenIn: sampleToken('USDT'),
    tokenOut: sampleToken('ACMEon', { decimals: 18 }),
    amountIn: toBaseUnits(DOLLARS),
    amountOut: toBaseUnits(STOCKS_BOUGHT),
    minAmountOut: toBaseUnits(STOCKS_BOUGHT),
    calls: [{ sender: ALICE, target: sampleToken('USDT').address, data: '0x' }],
    steps: [
      { kind: 'TRANSFER', operator: 'USER', protocol: 'tokenized-stock', chainId },
      { kind: 'ORDER', operator: 'PROVIDER', protocol: 'cow', chainId },
    ],
  });
  await database.stockOrder.create({
    data: {
      actionId: id,
      customerId,
      strategyId: 'Acme-ACMEon-devnet',
      chainId,
      owner: ALICE,
      receiver: ALICE,
      orderWallet: exchange.venue.walletOf(id),
      side: 'BUY',
      sellToken: sampleToken('USDT').address,
      buyToken: sampleToken('ACMEon').address,
      sellAmount: DOLLARS.toString(),
      buyAmount: STOCKS_BOUGHT.toString(),
      limitPriceCents,
      referencePrice: '200000000000000000000',
      slippageBps: 10,
      sellMicroUsd: '1000000000',
      validTo,
    },
  });
  if (isFunded) {
    await database.$transaction((tx) =>
      changeStatus(tx, id, { transition: 'originSeen', substatus: 'WAITING_CONFIRMATIONS' }),
    );
    await database.actionStep.updateMany({ where: { actionId: id, stepIndex: 0 }, data: { status: 'CONFIRMED' } });
    exchange.fund({ actionId: id, sellAmount: DOLLARS });
  }
  return orderOf(database, { customerId, actionId: id });
}

export async function orderOf(
  database: Database,
  { customerId, actionId }: Pick<StockOrder, 'customerId' | 'actionId'>,
): Promise<StockOrder> {
  const order = (await findStockOrders(database, { customerId, actionIds: [actionId] })).get(actionId);
  if (order === undefined) throw new Error(`there is no order of the action ${actionId}`);
  return order;
}
