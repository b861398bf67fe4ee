import type { EarnPositionView } from './position-view';

/** Older amounts say too little. */
const MAX_AGE_MS = 6 * 3_600_000;

/** True while a position may be shown as the last known one. */
export const isKept = ({ asOf }: { readonly asOf: Date }, now: Date): boolean =>
  now.getTime() - asOf.getTime() <= MAX_AGE_MS;

/**
 * The positions of a reading, with those that a former one had in strategies that are unavailable now, marked as stale with the
 * time of their own block. In the order of the catalog.
 */
export function keepUnavailablePositions(
  positions: readonly EarnPositionView[],
  previous: readonly EarnPositionView[],
  {
    unavailable,
    catalog,
    now = new Date(),
  }: {
    /** Ids of the strategies that could not be read. */
    readonly unavailable: ReadonlySet<string>;
    /** Ids of all strategies in their order. */
    readonly catalog: readonly string[];
    readonly now?: Date;
  },
): readonly EarnPositionView[] {
  const kept = previous.filter(
    ({ strategy, spotPosition }) => unavailable.has(strategy.id) && isKept(spotPosition, now),
  );
  if (kept.length === 0) return positions;
  const stale = kept.map(({ strategy, spotPosition }): EarnPositionView => {
    return { strategy, spotPosition: { ...spotPosition, stale: true, staleReason: 'CHAIN_UNAVAILABLE' } };
  });
  const places = new Map(catalog.map((id, index) => [id, index]));
  const placeOf = ({ strategy }: EarnPositionView): number => places.get(strategy.id) ?? catalog.length;
  return [...positions, ...stale].sort((one, other) => placeOf(one) - placeOf(other));
}
