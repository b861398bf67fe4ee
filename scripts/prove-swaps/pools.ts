import { type Address, createPublicClient, erc20Abi, http, parseAbi, type PublicClient } from 'viem';
import { CANONICAL } from '../../devnet/canonical-addresses';
import { type DevnetSlug, POOLS } from '../../devnet/liquidity';
import { invariant } from '../../src/errors/invariant-error';

const v2Factory = parseAbi(['function getPair(address, address) view returns (address)']);
const v3Factory = parseAbi(['function getPool(address, address, uint24) view returns (address)']);
const v2Pair = parseAbi(['function getReserves() view returns (uint112, uint112, uint32)']);
const v3Pool = parseAbi([
  'function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint8, bool)',
  'function liquidity() view returns (uint128)',
]);

/** A pool of a local chain. `fee` in hundredths of a basis point; `undefined` for Uniswap V2. */
export interface ChainPool {
  readonly address: Address;
  readonly token0: Address;
  readonly token1: Address;
  readonly fee: number | undefined;
}

/** A pool at one block. */
export interface PoolState extends ChainPool {
  /** Balances in base units. */
  readonly balance0: bigint;
  readonly balance1: bigint;
  /** Uniswap V3 only. */
  readonly sqrtPriceX96: bigint;
  readonly liquidity: bigint;
}

export type PoolStates = ReadonlyMap<string, PoolState>;

export interface PoolChain {
  readonly slug: DevnetSlug;
  readonly rpcUrl: string;
  readonly client: PublicClient;
  readonly tokens: Readonly<Record<string, Address>>;
  readonly pools: readonly ChainPool[];
}

interface ChainDescription {
  readonly slug: string;
  readonly rpcUrl: string;
  readonly tokens: Readonly<Record<string, Address>>;
}

/** Tokens that no provider trades: `TOLL` takes a share of its transfers. */
const UNTRADED: ReadonlySet<string> = new Set(['TOLL']);

/** Locates the pools of a local chain, without any code of the service. */
export async function openPoolChain({ slug, rpcUrl, tokens }: ChainDescription): Promise<PoolChain> {
  invariant(slug === 'devnet' || slug === 'devnet-l2', `${slug} has no pools`);
  const client = createPublicClient({ transport: http(rpcUrl), pollingInterval: 10, cacheTime: 0 });
  const plans = POOLS[slug].filter(({ base, quote }) => !UNTRADED.has(base) && !UNTRADED.has(quote));
  const pools = await Promise.all(
    plans.map(async ({ base, quote, fee }) => {
      const [one, other] = [tokens[base], tokens[quote]];
      invariant(one !== undefined && other !== undefined, `${slug} lacks ${base} or ${quote}`);
      const address =
        fee === undefined
          ? await client.readContract({
              address: CANONICAL.v2Factory,
              abi: v2Factory,
              functionName: 'getPair',
              args: [one, other],
            })
          : await client.readContract({
              address: CANONICAL.v3Factory,
              abi: v3Factory,
              functionName: 'getPool',
              args: [one, other, fee],
            });
      const [token0, token1] = BigInt(one) < BigInt(other) ? [one, other] : [other, one];
      return { address, token0, token1, fee };
    }),
  );
  return { slug, rpcUrl, client, tokens, pools };
}

/** Reads all pools at a block, the latest by default. The keys are addresses in lower case. */
export async function readPools({ client, pools }: PoolChain, blockNumber?: bigint): Promise<PoolStates> {
  const at = { multicallAddress: CANONICAL.multicall3, ...(blockNumber === undefined ? {} : { blockNumber }) };
  const v3 = pools.filter(({ fee }) => fee !== undefined);
  const v2 = pools.filter(({ fee }) => fee === undefined);
  const balanceOf = (token: Address, owner: Address) =>
    ({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [owner] }) as const;
  const [reserves, slots, liquidities, balances0, balances1] = await Promise.all([
    client.multicall({
      ...at,
      allowFailure: false,
      contracts: v2.map(({ address }) => ({ address, abi: v2Pair, functionName: 'getReserves' as const })),
    }),
    client.multicall({
      ...at,
      allowFailure: false,
      contracts: v3.map(({ address }) => ({ address, abi: v3Pool, functionName: 'slot0' as const })),
    }),
    client.multicall({
      ...at,
      allowFailure: false,
      contracts: v3.map(({ address }) => ({ address, abi: v3Pool, functionName: 'liquidity' as const })),
    }),
    client.multicall({
      ...at,
      allowFailure: false,
      contracts: v3.map(({ address, token0 }) => balanceOf(token0, address)),
    }),
    client.multicall({
      ...at,
      allowFailure: false,
      contracts: v3.map(({ address, token1 }) => balanceOf(token1, address)),
    }),
  ]);
  const states = [
    ...v2.map((pool, index): PoolState => {
      const [balance0 = 0n, balance1 = 0n] = reserves[index] ?? [];
      return { ...pool, balance0, balance1, sqrtPriceX96: 0n, liquidity: 0n };
    }),
    ...v3.map((pool, index): PoolState => ({
      ...pool,
      balance0: balances0[index] ?? 0n,
      balance1: balances1[index] ?? 0n,
      sqrtPriceX96: slots[index]?.[0] ?? 0n,
      liquidity: liquidities[index] ?? 0n,
    })),
  ];
  return new Map(states.map((state) => [state.address.toLowerCase(), state]));
}

const Q192 = 2n ** 192n;

/** An exact ratio. */
export interface Ratio {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Base units of the other token for one base unit of `token`, at the current price of a pool. */
export function spotPrice({ token0, fee, balance0, balance1, sqrtPriceX96 }: PoolState, token: Address): Ratio {
  const [numerator, denominator] = fee === undefined ? [balance1, balance0] : [sqrtPriceX96 * sqrtPriceX96, Q192];
  return token === token0 ? { numerator, denominator } : { numerator: denominator, denominator: numerator };
}

const Q96 = 2n ** 96n;
const MILLION = 1_000_000n;
const V2_FEE = 3000n;

/**
 * Output of an exact input in one pool, by the formula of its protocol; `undefined` for a Uniswap V3 pool in which the trade
 * leaves its range of constant liquidity.
 */
export function poolOutput(
  before: PoolState,
  { after, tokenIn, amountIn }: { readonly after: PoolState; readonly tokenIn: Address; readonly amountIn: bigint },
): bigint | undefined {
  const sellsToken0 = tokenIn === before.token0;
  const net = amountIn * (MILLION - BigInt(before.fee ?? V2_FEE));
  if (before.fee === undefined) {
    const [reserveIn, reserveOut] = sellsToken0
      ? [before.balance0, before.balance1]
      : [before.balance1, before.balance0];
    return (net * reserveOut) / (reserveIn * MILLION + net);
  }
  const { sqrtPriceX96: root, liquidity } = before;
  if (liquidity !== after.liquidity) return undefined;
  const netIn = net / MILLION;
  const moved = sellsToken0
    ? (liquidity * Q96 * root) / (liquidity * Q96 + netIn * root)
    : root + (netIn * Q96) / liquidity;
  return sellsToken0 ? (liquidity * (root - moved)) / Q96 : (liquidity * Q96 * (moved - root)) / (moved * root);
}
