import { type Address, getAddress, parseAbi } from 'viem';
import type { Chain } from '../../../chains/chain';
import { contractRead } from '../../../rpc/contract-read';
import { type PoolVenue, V3_FEES } from '../../../pools/pool';
import type { Rpc } from '../../../rpc/rpc';

/** What the router of a chain can reach. */
export interface Venue {
  readonly router: Address;
  /** The pools that it finds: those of other factories than its own it would look for in the wrong place. */
  readonly pools: readonly PoolVenue[];
  /** True when it wraps and unwraps the native coin as the chain table says. */
  readonly wrapsCoin: boolean;
}

/** What the router of a chain can reach; `undefined` when the chain has none. @throws PROVIDER_UNAVAILABLE */
export type FindVenue = (chain: Chain, signal: AbortSignal) => Promise<Venue | undefined>;

/** Set in the router's constructor. */
const immutables = parseAbi([
  'function factory() view returns (address)',
  'function factoryV2() view returns (address)',
  'function WETH9() view returns (address)',
]);

/** Asks each router once what it was built with. */
export function createVenueFinder({ rpc }: { readonly rpc: Pick<Rpc, 'multicall'> }): FindVenue {
  const venues = new Map<number, Venue>();
  return async (chain, signal) => {
    const known = venues.get(chain.chainId);
    if (known !== undefined) return known;
    const venue = await readVenue(rpc, chain, signal);
    // A router that does not answer may be deployed later.
    if (venue !== undefined) venues.set(chain.chainId, venue);
    return venue;
  };
}

async function readVenue(rpc: Pick<Rpc, 'multicall'>, chain: Chain, signal: AbortSignal): Promise<Venue | undefined> {
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
    ? V3_FEES.map((fee): PoolVenue => ({ factory: uniswapV3.factory, fee }))
    : [];
  const constantProduct: readonly PoolVenue[] =
    uniswapV2 !== undefined && same(factoryV2, uniswapV2.factory)
      ? [{ factory: uniswapV2.factory, fee: undefined }]
      : [];
  const pools = [...concentrated, ...constantProduct];
  return pools.length === 0 ? undefined : { router: address, pools, wrapsCoin: same(wrapper, wrappedNative) };
}
