import type { Database } from '../../persistence/database';
import { groupBy } from '../positions/group-by';
import type { PositionOwner } from '../positions/position-store';
import type { FeeMark } from '../strategy-fees';
import { UNRESOLVED_ITEMS } from './collection-states';

/** What collections have charged of a wallet's profit in a strategy. */
export interface WalletCollections {
  /** The prices up to which profit was charged, each after its block. */
  readonly marks: readonly FeeMark[];
  /** True while a collection may be executed: profit until now counts as charged. */
  readonly isUnresolved: boolean;
}

export const NO_COLLECTIONS: WalletCollections = { marks: [], isUnresolved: false };

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
      OR: [{ state: { in: [...UNRESOLVED_ITEMS] } }, { state: 'CONFIRMED' }],
    },
    select: { strategyId: true, state: true, blockNumber: true, markRay: true },
    orderBy: { blockNumber: 'asc' },
  });
  const byStrategy = groupBy(rows, ({ strategyId }) => strategyId);
  return new Map([...byStrategy].map(([strategyId, own]) => [strategyId, collectionsOf(own)]));
}

type Row = {
  readonly state: string;
  readonly blockNumber: bigint | null;
  readonly markRay: { toFixed(): string } | null;
};

const collectionsOf = (rows: readonly Row[]): WalletCollections => ({
  marks: rows.flatMap(({ state, blockNumber, markRay }) =>
    state !== 'CONFIRMED' || blockNumber === null || markRay === null
      ? []
      : [{ blockNumber, sharePriceRay: BigInt(markRay.toFixed()) }],
  ),
  isUnresolved: rows.some(({ state }) => UNRESOLVED_ITEMS.includes(state)),
});
