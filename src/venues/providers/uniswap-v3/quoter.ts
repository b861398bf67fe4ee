import { type Address, parseAbi } from 'viem';
import { contractRead } from '../../../rpc/contract-read';
import type { Rpc } from '../../../rpc/rpc';
import { packedPath, type Route } from './route';

/** @see https://docs.uniswap.org/contracts/v3/reference/periphery/lens/QuoterV2 */
const quoterV2 = parseAbi([
  'function quoteExactInput(bytes path, uint256 amountIn) returns (uint256 amountOut, uint160[] sqrtPriceX96AfterList, uint32[] initializedTicksCrossedList, uint256 gasEstimate)',
  'function quoteExactOutput(bytes path, uint256 amountOut) returns (uint256 amountIn, uint160[] sqrtPriceX96AfterList, uint32[] initializedTicksCrossedList, uint256 gasEstimate)',
]);

/** The prices at which a pool stops: a swap that ends there was not filled whole. */
const PRICE_LIMITS: ReadonlySet<bigint> = new Set([
  4_295_128_739n + 1n,
  1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n - 1n,
]);

/** The exact amount on one side of a trade, in base units. */
export interface ExactAmount {
  readonly side: 'in' | 'out';
  readonly amount: bigint;
}

export interface Prices {
  readonly priced: readonly PricedRoute[];
  /** True when a route could take a part of the amount only. */
  readonly exhausted: boolean;
}

export interface PricedRoute {
  readonly route: Route;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** Gas of the pools' work, as the quoter measured it: without transfers into the first pool and around it. */
  readonly poolGas: bigint;
}

interface Quoter {
  readonly rpc: Pick<Rpc, 'multicall'>;
  readonly chainId: number;
  readonly quoter: Address;
}

/** Prices the routes in one eth_call, as far as they can be filled whole. @throws PROVIDER_UNAVAILABLE */
export async function priceRoutes(
  { rpc, chainId, quoter }: Quoter,
  { routes, side, amount }: ExactAmount & { readonly routes: readonly Route[] },
  signal: AbortSignal,
): Promise<Prices> {
  if (routes.length === 0) return { priced: [], exhausted: false };
  const functionName = side === 'in' ? 'quoteExactInput' : 'quoteExactOutput';
  const reads = routes.map((route) =>
    contractRead({ address: quoter, abi: quoterV2, functionName, args: [packedPath(route, side), amount] }),
  );
  const answers = await rpc.multicall(chainId, reads, { signal });
  let exhausted = false;
  const priced = routes.flatMap((route, index) => {
    const answer = answers[index];
    if (answer === undefined) return [];
    const [other, pricesAfter, , poolGas] = answer;
    if (pricesAfter.some((price) => PRICE_LIMITS.has(price))) {
      exhausted = true;
      return [];
    }
    const [amountIn, amountOut] = side === 'in' ? [amount, other] : [other, amount];
    return [{ route, amountIn, amountOut, poolGas }];
  });
  return { priced, exhausted };
}
