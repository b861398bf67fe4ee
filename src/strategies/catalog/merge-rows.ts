import type { StrategyRow } from '../strategy-row';

/** Rows of the catalog in their order, and sentences about those that contradict each other. */
export interface MergedRows {
  readonly rows: readonly StrategyRow[];
  readonly problems: readonly string[];
}

/** The form under which ids, slugs and aliases are compared. */
export const slugOf = (name: string): string => name.toLowerCase();

/** Slugs of the id and the aliases of a strategy, the one of the id first. */
export const slugsOf = ({ id, aliases }: Pick<StrategyRow, 'id' | 'aliases'>): readonly string[] =>
  [id, ...aliases].map(slugOf);

/**
 * The known rows, then those of the deployment. A row of the deployment replaces the known row with its id, at its place: so a
 * deployment changes what a known strategy says, or pauses it. One with another id replaces the known row of its market, whose
 * names stay valid. An id, an alias or a market that two rows share is a problem, and so is another market under a known id:
 * what is stored of the first would count for the other.
 */
export function mergeRows(known: readonly StrategyRow[], own: readonly StrategyRow[]): MergedRows {
  const byId = new Map(own.map((row) => [slugOf(row.id), row]));
  const byMarket = new Map(own.map((row) => [marketKey(row), row]));
  const knownIds = new Set(known.map(({ id }) => slugOf(id)));
  const used = new Set<StrategyRow>();
  const problems: string[] = [];
  const replaced = known.map((row) => {
    const sameId = byId.get(slugOf(row.id));
    const sameMarket = byMarket.get(marketKey(row));
    const isRenamed = sameMarket !== undefined && !knownIds.has(slugOf(sameMarket.id));
    const replacement = sameId ?? (isRenamed ? sameMarket : undefined);
    if (replacement === undefined) return row;
    used.add(replacement);
    if (marketKey(replacement) !== marketKey(row) || replacement.protocol !== row.protocol)
      problems.push(
        `Strategy ${replacement.id} must keep the protocol, chain, market and asset of the known strategy.`,
      );
    return sameId ?? withNamesOf(row, replacement);
  });
  const rows = [...replaced, ...own.filter((row) => !used.has(row))];
  return { rows, problems: [...problems, ...nameProblems(rows), ...marketProblems(rows)] };
}

/** A market of Aave has many assets; a vault and a Comet have one. */
const marketKey = ({ chainId, market, underlying }: StrategyRow): string =>
  [chainId, market, underlying].join(':').toLowerCase();

function withNamesOf(known: StrategyRow, own: StrategyRow): StrategyRow {
  const names = new Set([own.id, ...own.aliases].map(slugOf));
  return {
    ...own,
    aliases: [...own.aliases, ...[known.id, ...known.aliases].filter((name) => !names.has(slugOf(name)))],
  };
}

function nameProblems(rows: readonly StrategyRow[]): readonly string[] {
  const owners = new Map<string, StrategyRow>();
  return rows.flatMap((row) =>
    [row.id, ...row.aliases].flatMap((name) => {
      const owner = owners.get(slugOf(name));
      owners.set(slugOf(name), owner ?? row);
      if (owner === undefined) return [];
      if (owner === row) return [`Strategy ${row.id} has the name ${name} twice.`];
      return [`Two strategies have the name ${name}: ${owner.id} and ${row.id}. Names are compared without case.`];
    }),
  );
}

function marketProblems(rows: readonly StrategyRow[]): readonly string[] {
  const owners = new Map<string, StrategyRow>();
  return rows.flatMap((row) => {
    const key = marketKey(row);
    const owner = owners.get(key);
    owners.set(key, owner ?? row);
    if (owner === undefined) return [];
    return [`Strategies ${owner.id} and ${row.id} have the same market ${row.market} on chain ${String(row.chainId)}.`];
  });
}
