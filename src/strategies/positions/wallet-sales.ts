import type { Address } from 'viem';
import type { Database } from '../../persistence/database';
import type { ProtocolReader, WalletSales } from '../protocols/protocol';
import { ORDER_STEPS, type OrderStep } from '../stocks/stock-order';
import type { Strategy } from '../strategy';
import { groupBy } from './group-by';
import type { PositionDeps } from './position-deps';
import type { PositionOwner } from './position-store';

/** Order wallets of a wallet that are followed: one multicall and one filter of logs have room for them. */
const MAX_SALES = 400;
/**
 * Share of the followed sales that may wait for tokens. Requests create any number of these, and they may displace no more of those
 * that have ended. One of the newest may have got its tokens a moment ago, however many have ended.
 */
const MAX_WAITING_SHARE = 1 / 4;
/** In the order in which sales are followed. */
const FIRST_STEPS: readonly OrderStep[] = [
  ...ORDER_STEPS.filter((step) => step !== 'AWAITING_FUNDS' && step !== 'ENDED'),
  'AWAITING_FUNDS',
  'ENDED',
];

interface MaxSales {
  readonly maxSales?: number;
}

/**
 * The adapters of strategies for one wallet: with the order wallets of its own sales, as far as the customer has placed them. One
 * query when some of the strategies are sold by orders, none otherwise. Strategies of protocols that are not served are left out.
 */
export async function readersOf(
  { database, protocols, maxSales = MAX_SALES }: Pick<PositionDeps, 'database' | 'protocols'> & MaxSales,
  owner: PositionOwner,
  strategies: readonly Strategy[],
): Promise<ReadonlyMap<Strategy, ProtocolReader>> {
  const readers = strategies.flatMap((strategy) => {
    const protocol = protocols[strategy.row.protocol];
    return protocol === undefined ? [] : [[strategy, protocol] as const];
  });
  const sold = readers.filter(([, { withSales }]) => withSales !== undefined).map(([{ row }]) => row.id);
  const sales = sold.length === 0 ? [] : await findSales(database, owner, { strategyIds: sold, maxSales });
  if (sales.length === 0) return new Map(readers);
  const byStrategy = groupBy(sales, ({ strategyId }) => strategyId);
  const allWallets = sales.map(({ orderWallet }) => orderWallet);
  return new Map(
    readers.map(([strategy, protocol]) => {
      const orders = byStrategy.get(strategy.row.id) ?? [];
      return [strategy, withSales(protocol, { orders, allWallets })] as const;
    }),
  );
}

const withSales = (protocol: ProtocolReader, sales: WalletSales): ProtocolReader =>
  sales.orders.length === 0 ? protocol : { ...protocol, ...protocol.withSales?.(sales) };

interface SaleRow {
  readonly strategyId: string;
  readonly orderWallet: Address;
  readonly isOpen: boolean;
}

/**
 * The newest sales of each step, in the order of the steps. Sales that have ended without ever having tokens are left out: most of
 * them never got any. The condition is that of the index.
 */
function findSales(
  database: Database,
  { customerId, wallet }: PositionOwner,
  { strategyIds, maxSales }: { readonly strategyIds: readonly string[] } & Required<MaxSales>,
): Promise<readonly SaleRow[]> {
  const maxWaiting = Math.ceil(maxSales * MAX_WAITING_SHARE);
  const limits = FIRST_STEPS.map((step) => (step === 'AWAITING_FUNDS' ? maxWaiting : maxSales));
  return database.$queryRaw<SaleRow[]>`
    SELECT sale."strategyId", sale."orderWallet", sale.step <> 'ENDED' AS "isOpen"
      FROM unnest(${[...FIRST_STEPS]}::text[], ${limits}::int[]) WITH ORDINALITY AS wanted (step, max, place)
     CROSS JOIN LATERAL (
       SELECT own."actionId", own."strategyId", own."orderWallet", own.step
         FROM "StockOrder" AS own
        WHERE own."customerId" = ${customerId}::uuid AND own.owner = ${wallet} AND own.step = wanted.step
          AND own.side = 'SELL' AND own."strategyId" = ANY(${[...strategyIds]})
          AND (own.step <> 'ENDED' OR own."orderUid" IS NOT NULL OR own."refundTxHash" IS NOT NULL
               OR own."refundedAt" IS NOT NULL)
        ORDER BY own."actionId" DESC LIMIT wanted.max) AS sale
     ORDER BY wanted.place, sale."actionId" DESC LIMIT ${maxSales}`;
}
