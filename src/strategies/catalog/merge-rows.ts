import type { StrategyRow } from '../strategy-row';

/** Rows of the catalog in their order, and sentences about those that contradict each other. */
export interface MergedRows {
  readonly rows: readonly StrategyRow[];
  readonly problems: readonly string[];
}

/** The form under which ids, slugs and aliases are compared. */
export const slugOf = (name: string): string => name.toLowerCase();

/**
 * The known rows, then those of the deployment. A row of the deployment replaces the known row with its id, at its place: so a
 * deployment changes what a known strategy says, or pauses it. An id, an alias or a market that two rows share is a problem.
 */
export function mergeRows(known: readonly StrategyRow[], own: readonly StrategyRow[]): MergedRows {
  const replacements = new Map(own.map((row) => [slugOf(row.id), row]));
  const knownSlugs = new Set(known.map(({ id }) => slugOf(id)));
  const isExtra = (row: StrategyRow): boolean =>
    !knownSlugs.has(slugOf(row.id)) || replacements.get(slugOf(row.id)) !== row;
  const rows = [...known.map((row) => replacements.get(slugOf(row.id)) ?? row), ...own.filter(isExtra)];
  return { rows, problems: [...nameProblems(rows), ...marketProblems(rows)] };
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

/** A market of Aave has many assets; a vault and a Comet have one. */
function marketProblems(rows: readonly StrategyRow[]): readonly string[] {
  const owners = new Map<string, StrategyRow>();
  return rows.flatMap((row) => {
    const key = [row.chainId, row.market, row.underlying].join(':').toLowerCase();
    const owner = owners.get(key);
    owners.set(key, owner ?? row);
    if (owner === undefined) return [];
    return [`Strategies ${owner.id} and ${row.id} have the same market ${row.market} on chain ${String(row.chainId)}.`];
  });
}
