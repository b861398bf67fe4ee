import { environmentSchema } from './environment-schema';

/** Variables that other parts read. */
const OTHER_VARIABLES = [
  'CHAINS_FILE',
  'STRATEGIES_FILE',
  'STRATEGY_ROUTER_CHAINS',
  'TOKEN_LIST_FILES',
  'AFLUENTE_DATA_DIR',
  'AFLUENTE_ENV_FILE',
];
/** Families of names that belong to this service. `RPC_URL_<SLUG>` is checked with the chains. */
const FAMILIES = [
  ...['AFLUENTE_', 'SUBGRAPH_URL_', 'RATE_LIMIT_', 'PRIMARY_RAMP_', 'SECONDARY_RAMP_', 'PERSONAL_DATA_', 'JWT_'],
  ...['ACROSS_', 'CCTP_', 'LIFI_', 'ZEROEX_', 'JUPITER_', 'RELAY_', 'DATABASE_POOL_', 'API_KEY_', 'SERVICE_WALLET_'],
  ...['METRICS_', 'OTEL_', 'DEFILLAMA_', 'COINGECKO_', 'PYTH_', 'PTAX_'],
];
/** Set by the tests of this repository. */
const TEST_FAMILY = 'AFLUENTE_TEST_';
/** Names with at least this length are compared with known ones; shorter names of other programs are similar by chance. */
const MIN_COMPARED_LENGTH = 8;
const MAX_TYPOS = 2;

/**
 * One sentence for each variable that looks like a setting of this service and is none: it belongs to one of its families, or
 * differs from a setting by a typing error.
 */
export function unknownVariables(names: readonly string[]): readonly string[] {
  const known = [...Object.keys(environmentSchema.shape), ...OTHER_VARIABLES];
  const isKnown = new Set(known);
  return names.flatMap((name) => {
    if (isKnown.has(name) || name.startsWith('RPC_URL_') || name.startsWith(TEST_FAMILY)) return [];
    const similar = similarName(name, known);
    if (similar === undefined && !FAMILIES.some((family) => name.startsWith(family))) return [];
    const hint = similar === undefined ? '' : ` Did you mean ${similar}?`;
    return [`${name} is not a setting of this service and has no effect.${hint}`];
  });
}

function similarName(name: string, known: readonly string[]): string | undefined {
  if (name.length < MIN_COMPARED_LENGTH) return undefined;
  const distances = known.map((candidate) => ({ candidate, typos: editDistance(name, candidate) }));
  return distances.sort((left, right) => left.typos - right.typos).find(({ typos }) => typos <= MAX_TYPOS)?.candidate;
}

/** Levenshtein distance; infinite when the lengths alone differ too much. */
function editDistance(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > MAX_TYPOS) return Infinity;
  let row: readonly number[] = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [position, letter] of Array.from(left).entries()) {
    const next = [position + 1];
    for (const [index, other] of Array.from(right).entries()) {
      const replaced = (row[index] ?? Infinity) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[index + 1] ?? Infinity) + 1, (next[index] ?? Infinity) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? Infinity;
}
