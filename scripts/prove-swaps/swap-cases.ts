import { invariant } from '../../src/errors/invariant-error';
import { NATIVE_TOKEN } from '../../src/chains/addresses';
import type { Random } from '../../test/federation/fuzz/random';
import { EVM_OUTPUTS, type EvmOutput } from './evm-wallet';
import type { PoolChain, PoolState } from './pools';

const EVM_PROVIDERS = ['afluente', 'uniswapV2', 'uniswapV3', 'zeroEx', 'lifi', 'wrap'] as const;
const SOLANA_OUTPUTS = ['transaction', 'instructions', 'bytecode'] as const;
export type SolanaOutput = (typeof SOLANA_OUTPUTS)[number];

/** Parts of a pool that are sold, in basis points: 1 %, 10 %, 50 % and 500 %. */
export const SHARES_BPS = [100, 1000, 5000, 50_000] as const;
type ShareBps = (typeof SHARES_BPS)[number];

interface EvmCase {
  readonly kind: 'evm';
  readonly provider: (typeof EVM_PROVIDERS)[number];
  readonly output: EvmOutput;
}
interface SolanaCase {
  readonly kind: 'solana';
  readonly provider: 'jupiter';
  readonly output: SolanaOutput;
}
export type SwapCase = (EvmCase | SolanaCase) & { readonly shareBps: ShareBps };
export type EvmSwapCase = Extract<SwapCase, { kind: 'evm' }>;
export type SolanaSwapCase = Extract<SwapCase, { kind: 'solana' }>;

const PER_ROUND = EVM_PROVIDERS.length + 1;
/** After two rounds each provider and each output has had a turn. */
export const MIN_CASES = 2 * PER_ROUND;

/** The case with a number. Every combination of provider and output has its turn within four rounds; shares are random. */
export function swapCase(index: number, random: Random): SwapCase {
  const [round, place] = [Math.floor(index / PER_ROUND), index % PER_ROUND];
  const shareBps = random.pick(SHARES_BPS);
  const provider = EVM_PROVIDERS[place];
  if (provider === undefined) {
    return { kind: 'solana', provider: 'jupiter', output: SOLANA_OUTPUTS[round % 3] ?? 'transaction', shareBps };
  }
  return { kind: 'evm', provider, output: EVM_OUTPUTS[(place + round) % 4] ?? 'bytecode', shareBps };
}

/** A trade on one EVM chain. */
export interface EvmTrade {
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly amountIn: bigint;
  /** For messages. */
  readonly text: string;
}

const PERCENT = 100n;

/** Sells about the share of a random pool that the provider trades, in a random direction, as a native coin or its wrapper. */
export function evmTrade(
  { provider, shareBps }: EvmSwapCase,
  {
    chain,
    pools,
    random,
  }: { readonly chain: PoolChain; readonly pools: readonly PoolState[]; readonly random: Random },
): EvmTrade {
  const weth = chain.tokens['WETH'];
  const eligible = pools.filter(({ fee, token0, token1 }) => {
    if (provider === 'wrap') return token0 === weth || token1 === weth;
    if (provider === 'uniswapV2') return fee === undefined;
    return provider !== 'uniswapV3' || fee !== undefined;
  });
  const pool = random.pick(eligible);
  const sellsToken0 = provider === 'wrap' ? pool.token0 === weth : random.chance(0.5);
  const [sold, bought] = sellsToken0 ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
  const balance = sellsToken0 ? pool.balance0 : pool.balance1;
  // Not a round number: every digit of the amount counts.
  const percent = BigInt(90 + random.below(20));
  const amountIn = (balance * BigInt(shareBps) * percent) / (10_000n * PERCENT) + BigInt(random.below(1000));
  const isNative = random.chance(0.4);
  const shown = (token: string): string => (isNative && token === weth ? NATIVE_TOKEN : token);
  const [tokenIn, tokenOut] = provider === 'wrap' ? wrapped(weth ?? '', random) : [shown(sold), shown(bought)];
  const symbolOf = (token: string): string =>
    Object.entries(chain.tokens).find(([, address]) => address === token)?.[0] ?? 'ETH';
  const text = `${String(amountIn)} ${symbolOf(tokenIn)} for ${symbolOf(tokenOut)} on ${chain.slug}, ${String(shareBps / 100)} % of ${pool.address}`;
  invariant(amountIn > 0n, `${pool.address} is empty`);
  return { tokenIn, tokenOut, amountIn, text };
}

const wrapped = (weth: string, random: Random): readonly [string, string] =>
  random.chance(0.5) ? [NATIVE_TOKEN, weth] : [weth, NATIVE_TOKEN];
