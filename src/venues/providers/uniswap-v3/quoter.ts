import { type Address, parseAbi } from 'viem';
import { contractRead } from '../../../rpc/contract-read';
import type { Rpc } from '../../../rpc/rpc';
import { packedPath, type V3Route } from './route';

/** @see https://docs.uniswap.org/contracts/v3/reference/periphery/lens/QuoterV2 */
const quoterV2 = parseAbi([
  'function quoteExactInput(bytes path, uint256 amountIn) returns (uint256 amountOut, uint160[] sqrtPriceX96AfterList, uint32[] initializedTicksCrossedList, uint256 gasEstimate)',
  'function quoteExactOutput(bytes path, uint256 amountOut) returns (uint256 amountIn, uint160[] sqrtPriceX96AfterList, uint32[] initializedTicksCrossedList, uint256 gasEstimate)',
]);

/** The prices at which a pool stops a swap: a swap that ends there was filled partially. */
const PRICE_LIMITS: ReadonlySet<bigint> = new Set([
  4_295_128_739n + 1n,
  1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n - 1n,
]);

/** The exact amount on one side of a trade, in base units. */
interface ExactAmount {
  readonly side: 'in' | 'out';
  readonly amount: bigint;
}

interface RoutePrices {
  readonly priced: readonly PricedV3Route[];
  /** True when a route could fill only a part of the amount. */
  readonly exhausted: boolean;
}

export interface PricedV3Route {
  readonly route: V3Route;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** Gas of the pools as measured by the quoter, without the router and the transfer into the first pool. */
  readonly poolGas: bigint;
}

interface Quoter {
  readonly rpc: Pick<Rpc, 'multicall'>;
  readonly chainId: number;
  readonly quoter: Address;
}

/** Prices the routes that can fill the whole amount, in one eth_call. @throws PROVIDER_UNAVAILABLE */
export async function priceRoutes(
  { rpc, chainId, quoter }: Quoter,
  { routes, side, amount }: ExactAmount & { readonly routes: readonly V3Route[] },
  signal: AbortSignal,
): Promise<RoutePrices> {
  if (routes.length === 0) return { priced: [], exhausted: false };
  const functionName = side === 'in' ? 'quoteExactInput' : 'quoteExactOutput';
  const reads = routes.map((route) =>
    contractRead({ address: quoter, abi: quoterV2, functionName, args: [packedPath(route, side), amount] }),
  );
  const results = await rpc.multicall(chainId, reads, { signal });
  let exhausted = false;
  const priced = routes.flatMap((route, index) => {
    const result = results[index];
    if (result === undefined) {
      // The quoter reverts when a pool pays less than the exact output.
      exhausted ||= side === 'out';
      return [];
    }
    const [other, pricesAfter, , poolGas] = result;
    if (pricesAfter.some((price) => PRICE_LIMITS.has(price))) {
      exhausted = true;
      return [];
    }
    const [amountIn, amountOut] = side === 'in' ? [amount, other] : [other, amount];
    return [{ route, amountIn, amountOut, poolGas }];
  });
  return { priced, exhausted };
}
