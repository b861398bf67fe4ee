import { type Address, createPublicClient, http, type PublicClient } from 'viem';

/** A local chain with Uniswap on it. `DevnetChain` is one. */
export interface VenueChainOptions {
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: number };
  readonly wrappedNative: Address | undefined;
  /** Tokens that two hops may meet in. */
  readonly connectors: readonly Address[];
  readonly uniswapV2: { readonly factory: Address; readonly router: Address };
  readonly uniswapV3: { readonly factory: Address; readonly router: Address; readonly quoter: Address };
  readonly tokens: readonly VenueToken[];
}

export interface VenueToken {
  readonly address: Address;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
}

export interface VenueChain extends VenueChainOptions {
  readonly client: PublicClient;
}

export const openVenueChain = (options: VenueChainOptions): VenueChain => ({
  ...options,
  client: createPublicClient({ transport: http(options.rpcUrl), pollingInterval: 20, cacheTime: 0 }),
});
