import { changeStatus } from '../../src/actions/state/change-status';
import type { CustomerId } from '../../src/auth/principal';
import { toBaseUnits } from '../../src/money/base-units';
import { Prisma } from '../../src/persistence/client/client';
import type { Database } from '../../src/persistence/database';
import { uuidV7 } from '../../src/persistence/uuid-v7';
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

/** Orders of different customers that are in the order book, by a few statements. */
export async function openOrders(
  database: Database,
  exchange: ScriptedExchange,
  count: number,
): Promise<readonly StockOrder[]> {
  const { actionId: template } = await createSampleOrder(database, exchange);
  const ids = Array.from({ length: count }, () => uuidV7());
  const uids = ids.map((actionId) => exchange.venue.uidOf({ actionId } as StockOrder));
  const copies = Prisma.sql`unnest(${ids}::uuid[], ${uids}::text[]) AS copy(id, uid)`;
  // The id of an action stands in for that of its customer.
  await database.$executeRaw`
    INSERT INTO "Action" SELECT made.* FROM "Action" AS own, ${copies},
      jsonb_populate_record(own, jsonb_build_object('id', copy.id, 'customerId', copy.id, 'quoteId', NULL)) AS made
     WHERE own.id = ${template}::uuid`;
  await database.$executeRaw`
    INSERT INTO "ActionStep" SELECT made.* FROM "ActionStep" AS own, ${copies},
      jsonb_populate_record(own, jsonb_build_object('actionId', copy.id, 'customerId', copy.id)) AS made
     WHERE own."actionId" = ${template}::uuid`;
  await database.$executeRaw`
    INSERT INTO "StockOrder" SELECT made.* FROM "StockOrder" AS own, ${copies},
      jsonb_populate_record(own, jsonb_build_object('actionId', copy.id, 'customerId', copy.id, 'step', 'OPEN', 'orderUid', copy.uid,
        'fromBlock', 0, 'postedAt', now(), 'lastPostAttemptAt', now())) AS made
     WHERE own."actionId" = ${template}::uuid`;
  await database.stockOrder.delete({ where: { actionId: template } });
  for (const actionId of ids) {
    exchange.fund({ actionId, sellAmount: DOLLARS });
    exchange.order(actionId).isPosted = true;
  }
  return Promise.all(ids.map((id) => orderOf(database, { customerId: id as CustomerId, actionId: id })));
}
