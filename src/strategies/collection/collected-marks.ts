import type { Database } from '../../persistence/database';
import type { ChargedProfit } from '../fees/fee-basis';
import { groupBy } from '../positions/group-by';
import type { PositionOwner } from '../positions/position-store';
import { profitPayment } from '../positions/position-state';
import { UNRESOLVED_ITEMS } from './collection-states';

/** What collections have charged of a wallet's profit in a strategy. */
export interface WalletCollections {
  /** In the order of the chain. */
  readonly charged: readonly ChargedProfit[];
  /** True while a collection may be executed: profit until now counts as charged. */
  readonly isUnresolved: boolean;
}

/** The collections from a wallet, by the id under which the fees of the strategy are stored. */
export async function readWalletCollections(
  { database }: { readonly database: Pick<Database, 'collectionItem'> },
  { customerId, wallet }: PositionOwner,
  strategyIds: readonly string[],
): Promise<ReadonlyMap<string, WalletCollections>> {
  if (strategyIds.length === 0) return new Map();
  const rows = await database.collectionItem.findMany({
    where: {
      customerId,
      wallet,
      strategyId: { in: [...strategyIds] },
      state: { in: [...UNRESOLVED_ITEMS, 'CONFIRMED'] },
    },
    select: COLUMNS,
    orderBy: { blockNumber: 'asc' },
  });
  const byStrategy = groupBy(rows, ({ strategyId }) => strategyId);
  return new Map([...byStrategy].map(([strategyId, own]) => [strategyId, collectionsOf(own)]));
}

const COLUMNS = {
  strategyId: true,
  state: true,
  blockNumber: true,
  priceRay: true,
  performanceShares: true,
  markupShares: true,
  chargedBps: true,
  txHash: true,
} as const;

interface Row {
  readonly state: string;
  readonly blockNumber: bigint | null;
  readonly priceRay: Amount | null;
  readonly performanceShares: Amount | null;
  readonly markupShares: Amount | null;
  readonly chargedBps: number | null;
  readonly txHash: string | null;
}
interface Amount {
  toFixed(): string;
}

const collectionsOf = (rows: readonly Row[]): WalletCollections => ({
  charged: rows.flatMap(chargedBy),
  isUnresolved: rows.some(({ state }) => UNRESOLVED_ITEMS.includes(state)),
});

/** None unless it is confirmed. */
function chargedBy({ state, blockNumber, priceRay, chargedBps, txHash, ...shares }: Row): readonly ChargedProfit[] {
  if (state !== 'CONFIRMED' || blockNumber === null || chargedBps === null) return [];
  const sharesTaken = unitsOf(shares.performanceShares) + unitsOf(shares.markupShares);
  const payment = profitPayment({ sharesTaken, priceRay: unitsOf(priceRay), bps: chargedBps });
  return [{ blockNumber, txHash: txHash ?? '', ...payment }];
}

const unitsOf = (amount: Amount | null): bigint => BigInt(amount?.toFixed() ?? 0);
