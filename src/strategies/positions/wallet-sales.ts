import type { Address } from 'viem';
import type { Database } from '../../persistence/database';
import type { ProtocolReader, WalletSales } from '../protocols/protocol';
import type { Strategy } from '../strategy';
import { groupBy } from './group-by';
import type { PositionDeps } from './position-deps';
import type { PositionOwner } from './position-store';

/** The newest sales of a wallet in one strategy that are considered. */
const MAX_ACTIONS = 1000;
/** Order wallets of a wallet that are followed, those of open sales first: one multicall and one filter of logs have room for them. */
const MAX_SALES = 400;

/**
 * The adapters of strategies for one wallet: with the order wallets of its own sales, as far as the customer has placed them. One
 * query when some of the strategies are sold by orders, none otherwise. Strategies of protocols that are not served are left out.
 */
export async function readersOf(
  { database, protocols }: Pick<PositionDeps, 'database' | 'protocols'>,
  owner: PositionOwner,
  strategies: readonly Strategy[],
): Promise<ReadonlyMap<Strategy, ProtocolReader>> {
  const readers = strategies.flatMap((strategy) => {
    const protocol = protocols[strategy.row.protocol];
    return protocol === undefined ? [] : [[strategy, protocol] as const];
  });
  const sold = readers.filter(([, { withSales }]) => withSales !== undefined).map(([{ row }]) => row.id);
  const sales = sold.length === 0 ? [] : await findSales(database, owner, sold);
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

/** Sales that have ended without ever having tokens are left out: most of them were never paid. */
const findSales = (
  database: Database,
  { customerId, wallet }: PositionOwner,
  strategyIds: readonly string[],
): Promise<readonly SaleRow[]> =>
  database.$queryRaw<SaleRow[]>`
    SELECT own."strategyId", own."orderWallet", own.step <> 'ENDED' AS "isOpen"
      FROM unnest(${[...strategyIds]}::text[]) AS wanted (id)
     CROSS JOIN LATERAL (
       SELECT action.id FROM "Action" AS action
        WHERE action."customerId" = ${customerId}::uuid AND action."originAddress" = ${wallet}
          AND action."strategyId" = wanted.id AND action.type = 'SAMECHAIN_INVESTMENT_WITHDRAW'
        ORDER BY action.id DESC LIMIT ${MAX_ACTIONS}) AS sale
      JOIN "StockOrder" AS own ON own."actionId" = sale.id
     WHERE own."customerId" = ${customerId}::uuid AND own.owner = ${wallet} AND own.side = 'SELL'
       AND own."strategyId" = wanted.id
       AND (own.step <> 'ENDED' OR own."orderUid" IS NOT NULL OR own."refundTxHash" IS NOT NULL)
     ORDER BY own.step <> 'ENDED' DESC, own."actionId" DESC LIMIT ${MAX_SALES}`;
