import type { Config } from '../config/config';
import { createUniswapV2Provider } from '../quotes/providers/uniswap-v2/uniswap-v2';
import { createUniswapV3Provider } from '../quotes/providers/uniswap-v3/uniswap-v3';
import { createWrapProvider } from '../quotes/providers/wrap/wrap';
import type { QuoteProvider } from '../quotes/quote-provider';
import type { PoolDirectory } from '../rpc/pools/pool-directory';
import type { TransferProbe } from '../rpc/pools/transfer-probe';
import type { Rpc } from '../rpc/rpc';

export interface ProviderDeps {
  readonly config: Config;
  readonly rpc: Rpc;
  readonly pools: PoolDirectory;
  readonly probe: TransferProbe;
}

export interface RegisteredProviders {
  readonly providers: readonly QuoteProvider[];
  /** Why a provider is not registered, by its id. */
  readonly unregistered: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** The providers that the deployment has what it takes for: those on chain, and those of other parties with a key. */
export function registerProviders({ rpc, pools, probe }: ProviderDeps): RegisteredProviders {
  return {
    providers: [
      createUniswapV2Provider({ rpc, pools, probe }),
      createUniswapV3Provider({ rpc, pools, probe }),
      createWrapProvider({ rpc }),
    ],
    unregistered: {},
    close: () => Promise.resolve(),
  };
}
