import { advanceOrder, type OrderDeps } from '../../src/strategies/stocks/advance-order';
import { createOrderCanceller } from '../../src/strategies/stocks/cancel-order';
import { claimOrders } from '../../src/strategies/stocks/claim-orders';
import { pollUnfunded } from '../../src/strategies/stocks/poll-unfunded';
import type { StockOrder } from '../../src/strategies/stocks/stock-order';
import { createTestDatabase } from '../setup/test-database';
import { orderOf } from './sample-stock-order';
import { ScriptedExchange } from './scripted-exchange';

const log = { warn: () => undefined };
const { signal } = new AbortController();

/** Orders in a real database, on a scripted chain. */
export async function openStockDesk() {
  const test = await createTestDatabase();
  const { database } = test;
  let exchange = new ScriptedExchange();
  const deps = (): OrderDeps => ({ database, venue: exchange.venue, log, pollMs: 0 });
  const makeDue = (where: { readonly actionId?: string } = {}) =>
    database.stockOrder.updateMany({ where, data: { nextAt: new Date(0) } });

  /** One pass of a worker over all due orders. */
  async function pass(changes: Partial<OrderDeps> = {}): Promise<void> {
    await pollUnfunded({ ...deps(), ...changes });
    const claimed = await claimOrders(deps(), 100);
    await Promise.all(claimed.map((order) => advanceOrder({ ...deps(), ...changes }, order, signal)));
  }

  return {
    database,
    deps,
    pass,
    makeDue,
    exchange: () => exchange,
    canceller: (changes: Partial<Parameters<typeof createOrderCanceller>[0]> = {}) =>
      createOrderCanceller({ database, venue: exchange.venue, log, timeoutMs: 20_000, pollMs: 3, ...changes }),
    /** Makes the order due, whatever its schedule, and passes until it has the step. */
    async until(order: StockOrder, step: StockOrder['step']): Promise<StockOrder> {
      for (let round = 0; round < 100; round += 1) {
        const current = await orderOf(database, order);
        if (current.step === step) return current;
        await makeDue({ actionId: order.actionId });
        await pass();
      }
      throw new Error(`the order is still ${(await orderOf(database, order)).step}`);
    },
    actionOf: ({ actionId: id }: Pick<StockOrder, 'actionId'>) =>
      database.action.findUniqueOrThrow({ where: { id }, include: { steps: { orderBy: { stepIndex: 'asc' } } } }),
    /** Forgets all orders, and starts another chain. */
    async reset(): Promise<void> {
      exchange = new ScriptedExchange();
      await database.stockOrder.deleteMany({});
    },
    close: () => test.drop(),
  };
}
export type StockDesk = Awaited<ReturnType<typeof openStockDesk>>;
