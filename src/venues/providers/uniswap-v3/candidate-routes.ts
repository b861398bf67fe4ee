import type { Address } from 'viem';
import { tradingPaths } from '../../../chains/trading-paths';
import { type Pool, poolKey, V3_FEES } from '../../../pools/pool';
import type { PoolDirectory } from '../../../pools/pool-directory';
import type { PoolSnapshots } from '../../../pools/pool-snapshots';
import type { SpotHop } from '../../../pools/hop-state';
import type { SameChainTrade } from '../../same-chain-trade';
import type { V3Hop, V3Route } from './route';

interface CandidateDeps {
  readonly pools: PoolDirectory;
  readonly snapshots: PoolSnapshots;
}

/** Pools per pair of a route through a connector; direct routes use all fee tiers. */
const POOLS_PER_HOP = 2;

/** Two tokens of a path, and the token whose balance ranks the pools between them. */
interface Pair {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  /** The connector, which the operator lists: the balance of any other token could be inflated for free. */
  readonly ranking: Address | undefined;
}

/** Reads routes of pools with liquidity at their current price: direct over each fee tier, and through each connector. */
export async function readCandidateRoutes(
  deps: CandidateDeps,
  { chain, tokenIn, tokenOut }: SameChainTrade,
  signal: AbortSignal,
): Promise<readonly V3Route[]> {
  const factory = chain.uniswapV3?.factory;
  if (factory === undefined) return [];
  const paths = tradingPaths(chain, tokenIn, tokenOut).map(pairsOf);
  const pairs = paths.flat();
  const keys = pairs.flatMap((pair) => V3_FEES.map((fee) => poolKey({ factory, fee }, pair.tokenIn, pair.tokenOut)));
  const located = await deps.pools.locate(chain.chainId, keys, signal);
  const hops = await readHops(deps, { chainId: chain.chainId, pairs, located }, signal);
  return paths.flatMap((path) => combinations(path.map((pair) => hops.get(pair) ?? [])));
}

function pairsOf(path: readonly Address[]): readonly Pair[] {
  const [tokenIn, connector, tokenOut] = path;
  if (tokenIn === undefined || connector === undefined) return [];
  if (tokenOut === undefined) return [{ tokenIn, tokenOut: connector, ranking: undefined }];
  return [
    { tokenIn, tokenOut: connector, ranking: connector },
    { tokenIn: connector, tokenOut, ranking: connector },
  ];
}

interface HopParameters {
  readonly chainId: number;
  readonly pairs: readonly Pair[];
  readonly located: readonly Pool[];
}

/** The pools of each pair that have liquidity, the highest balance first. */
async function readHops(
  { snapshots }: CandidateDeps,
  { chainId, pairs, located }: HopParameters,
  signal: AbortSignal,
): Promise<ReadonlyMap<Pair, readonly V3Hop[]>> {
  if (located.length === 0) return new Map();
  const snapshot = await snapshots.latest(chainId, signal);
  const spotHops = await snapshot.spotHops(located, signal);
  return new Map(
    pairs.map((pair): [Pair, readonly V3Hop[]] => {
      const hops = spotHops.flatMap((hop) => rankedHop(hop, pair) ?? []);
      hops.sort((one, other) => (one.rank < other.rank ? 1 : -1));
      return [pair, pair.ranking === undefined ? hops : hops.slice(0, POOLS_PER_HOP)];
    }),
  );
}

/** A hop, and the pool's balance of the ranking token. */
interface RankedHop extends V3Hop {
  readonly rank: bigint;
}

/** `undefined` for a hop of another pair. */
function rankedHop(hop: SpotHop, { tokenIn, tokenOut, ranking }: Pair): RankedHop | undefined {
  const { fee } = hop.pool;
  if (hop.tokenIn !== tokenIn || hop.tokenOut !== tokenOut || fee === undefined) return undefined;
  return { ...hop, fee, rank: ranking === tokenIn ? hop.balanceIn : hop.balanceOut };
}

function combinations(choices: readonly (readonly V3Hop[])[]): readonly V3Route[] {
  const [first = [], second] = choices;
  if (second === undefined) return first.map((hop): V3Route => [hop]);
  return first.flatMap((hop) => second.map((next): V3Route => [hop, next]));
}
