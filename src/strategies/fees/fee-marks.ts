import type { Prisma } from '../../persistence/client/client';
import type { FeeMark } from '../strategy-fees';

/** Raises of the deployment's fees on profit of one strategy: each leaves a mark for ever. */
export const MAX_MARKS = 100;
/** The same with those that a customer has inherited: it can raise its own fees a hundred times in any case. */
export const MAX_CUSTOMER_MARKS = 200;

/** Marks as they are stored, in two lists of the same length. */
export interface StoredMarks {
  readonly markBlocks: readonly bigint[];
  readonly markPricesRay: readonly Prisma.Decimal[];
}

/** In the order of their blocks. */
export const marksOf = ({ markBlocks, markPricesRay }: StoredMarks): readonly FeeMark[] =>
  markBlocks
    .flatMap((blockNumber, index) => {
      const price = markPricesRay[index];
      return price === undefined ? [] : [{ blockNumber, sharePriceRay: BigInt(price.toFixed()) }];
    })
    .sort((one, other) => (one.blockNumber < other.blockNumber ? -1 : 1));

/** The stored form of some marks and a further one. One block has one price: its mark counts once. */
export function withMark(marks: readonly FeeMark[], added: FeeMark) {
  const all = [...marks.filter(({ blockNumber }) => blockNumber !== added.blockNumber), added];
  return storedMarks(all);
}

export const storedMarks = (marks: readonly FeeMark[]) => ({
  markBlocks: marks.map(({ blockNumber }) => blockNumber),
  markPricesRay: marks.map(({ sharePriceRay }) => sharePriceRay.toString()),
});
