import { type Address, getAddress, parseAbi } from 'viem';
import type { Chain } from '../../../chains/chain';
import { contractRead } from '../../../rpc/contract-read';
import { type PoolFactory, V3_FEES } from '../../../pools/pool';
import type { Rpc } from '../../../rpc/rpc';

/** The SwapRouter02 of a chain and the factories that it supports. */
export interface RouterDeployment {
  readonly router: Address;
  /** Factories that the router was built with. It computes wrong pool addresses for all others. */
  readonly factories: readonly PoolFactory[];
  /** True when its wrapper of the native coin is that of the chain table. */
  readonly wrapsCoin: boolean;
}

/** Resolves to `undefined` when the chain has no router. @throws PROVIDER_UNAVAILABLE */
export type ReadSwapRouter = (chain: Chain, signal: AbortSignal) => Promise<RouterDeployment | undefined>;

/** Immutables of the router. */
const immutables = parseAbi([
  'function factory() view returns (address)',
  'function factoryV2() view returns (address)',
  'function WETH9() view returns (address)',
]);

/** Reads the immutables of each router once. */
export function createSwapRouterReader({ rpc }: { readonly rpc: Pick<Rpc, 'multicall'> }): ReadSwapRouter {
  const routers = new Map<number, RouterDeployment>();
  return async (chain, signal) => {
    const cached = routers.get(chain.chainId);
    if (cached !== undefined) return cached;
    const router = await readRouter(rpc, chain, signal);
    // A missing router is not cached: it may be deployed later.
    if (router !== undefined) routers.set(chain.chainId, router);
    return router;
  };
}

async function readRouter(
  rpc: Pick<Rpc, 'multicall'>,
  chain: Chain,
  signal: AbortSignal,
): Promise<RouterDeployment | undefined> {
  const { chainId, uniswapV2, uniswapV3, wrappedNative } = chain;
  if (uniswapV3 === undefined) return undefined;
  const address = uniswapV3.router;
  const [factory, factoryV2, wrapper] = await rpc.multicall(
    chainId,
    [
      contractRead({ address, abi: immutables, functionName: 'factory' }),
      contractRead({ address, abi: immutables, functionName: 'factoryV2' }),
      contractRead({ address, abi: immutables, functionName: 'WETH9' }),
    ],
    { signal },
  );
  const same = (one: Address | undefined, other: Address | undefined): boolean =>
    one !== undefined && other !== undefined && getAddress(one) === getAddress(other);
  const concentrated = same(factory, uniswapV3.factory)
    ? V3_FEES.map((fee): PoolFactory => ({ factory: uniswapV3.factory, fee }))
    : [];
  const constantProduct: readonly PoolFactory[] =
    uniswapV2 !== undefined && same(factoryV2, uniswapV2.factory)
      ? [{ factory: uniswapV2.factory, fee: undefined }]
      : [];
  const factories = [...concentrated, ...constantProduct];
  return factories.length === 0 ? undefined : { router: address, factories, wrapsCoin: same(wrapper, wrappedNative) };
}
