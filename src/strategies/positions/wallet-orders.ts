import type { Address } from 'viem';
import { Prisma } from '../../persistence/client/client';
import type { Database } from '../../persistence/database';
import type { ProtocolReader, WalletOrders } from '../protocols/protocol';
import { ORDER_STEPS, type OrderSide, type OrderStep } from '../stocks/stock-order';
import type { Strategy } from '../strategy';
import { groupBy } from './group-by';
import type { PositionDeps } from './position-deps';
import type { PositionOwner } from './position-store';

/** Sales, and as many purchases, of a wallet that are followed: one multicall and one filter of logs have room for them. */
const MAX_ORDERS = 400;
/**
 * Share of the followed orders that may wait for tokens. Requests create any number of these, and they may displace no more of those
 * that have ended. One of the newest may have got its tokens a moment ago, however many have ended.
 */
const MAX_WAITING_SHARE = 1 / 4;
/** In the order in which orders are followed. */
const FIRST_STEPS: readonly OrderStep[] = [
  ...ORDER_STEPS.filter((step) => step !== 'AWAITING_FUNDS' && step !== 'ENDED'),
  'AWAITING_FUNDS',
  'ENDED',
];

interface MaxOrders {
  /** The limit of each side. */
  readonly maxOrders?: number;
}

/**
 * The adapters of strategies for one wallet: with the order wallets of its own sales and open purchases, as far as the customer has
 * placed them. One query when some of the strategies are traded by orders, none otherwise. Strategies of protocols that are not served
 * are left out.
 */
export async function readersOf(
  { database, protocols, maxOrders = MAX_ORDERS }: Pick<PositionDeps, 'database' | 'protocols'> & MaxOrders,
  owner: PositionOwner,
  strategies: readonly Strategy[],
): Promise<ReadonlyMap<Strategy, ProtocolReader>> {
  const readers = strategies.flatMap((strategy) => {
    const protocol = protocols[strategy.row.protocol];
    return protocol === undefined ? [] : [[strategy, protocol] as const];
  });
  const traded = readers.filter(([, { withOrders }]) => withOrders !== undefined).map(([{ row }]) => row.id);
  const orders = traded.length === 0 ? [] : await findOrders(database, owner, { strategyIds: traded, maxOrders });
  if (orders.length === 0) return new Map(readers);
  const allSaleWallets = walletsOf(orders, 'SELL');
  const byStrategy = groupBy(orders, ({ strategyId }) => strategyId);
  return new Map(
    readers.map(([strategy, protocol]) => {
      const own = byStrategy.get(strategy.row.id);
      if (own === undefined) return [strategy, protocol] as const;
      const sales = own.filter(({ side }) => side === 'SELL');
      return [strategy, withOrders(protocol, { sales, allSaleWallets, purchases: walletsOf(own, 'BUY') })] as const;
    }),
  );
}

const withOrders = (protocol: ProtocolReader, orders: WalletOrders): ProtocolReader => ({
  ...protocol,
  ...protocol.withOrders?.(orders),
});

const walletsOf = (orders: readonly OrderRow[], wanted: OrderSide): readonly Address[] =>
  orders.filter(({ side }) => side === wanted).map(({ orderWallet }) => orderWallet);

interface OrderRow {
  readonly side: OrderSide;
  readonly strategyId: string;
  readonly orderWallet: Address;
  readonly isOpen: boolean;
}

/** The condition of an index. Sales that have ended without ever having tokens are left out: most of them never got any. */
const SALES = Prisma.sql`own.side = 'SELL'
          AND (own.step <> 'ENDED' OR own."orderUid" IS NOT NULL OR own."refundTxHash" IS NOT NULL
               OR own."refundedAt" IS NOT NULL)`;
/** The condition of an index. What a purchase has bought is with its receiver. */
const PURCHASES = Prisma.sql`own.side = 'BUY' AND own.step <> 'ENDED'`;

/** The newest orders of each step, in the order of the steps. Sales and purchases have limits of their own: neither displaces the other. */
function findOrders(
  database: Database,
  { customerId, wallet }: PositionOwner,
  { strategyIds, maxOrders }: { readonly strategyIds: readonly string[] } & Required<MaxOrders>,
): Promise<readonly OrderRow[]> {
  const maxWaiting = Math.ceil(maxOrders * MAX_WAITING_SHARE);
  const limits = FIRST_STEPS.map((step) => (step === 'AWAITING_FUNDS' ? maxWaiting : maxOrders));
  const newest = (condition: Prisma.Sql): Prisma.Sql => Prisma.sql`
    (SELECT found.*, wanted.place
       FROM unnest(${[...FIRST_STEPS]}::text[], ${limits}::int[]) WITH ORDINALITY AS wanted (step, max, place)
      CROSS JOIN LATERAL (
        SELECT own."actionId", own.side, own."strategyId", own."orderWallet", own.step
          FROM "StockOrder" AS own
         WHERE own."customerId" = ${customerId}::uuid AND own.owner = ${wallet} AND own.step = wanted.step
           AND own."strategyId" = ANY(${[...strategyIds]}) AND ${condition}
         ORDER BY own."actionId" DESC LIMIT wanted.max) AS found
      ORDER BY wanted.place, found."actionId" DESC LIMIT ${maxOrders})`;
  return database.$queryRaw<OrderRow[]>`
    SELECT traded.side, traded."strategyId", traded."orderWallet", traded.step <> 'ENDED' AS "isOpen"
      FROM (${newest(SALES)} UNION ALL ${newest(PURCHASES)}) AS traded
     ORDER BY traded.side DESC, traded.place, traded."actionId" DESC`;
}
