import type { ListedToken } from '../../../src/chains/chain';

/** The local Bitcoin as `CHAINS_FILE` describes chains; its endpoint is an Esplora server. */
export interface BitcoinChain {
  readonly slug: string;
  readonly chainId: number;
  readonly kind: 'bitcoin';
  readonly name: string;
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: number };
  readonly confirmations: number;
  readonly tokens: readonly ListedToken[];
  readonly rpcUrl: string;
}

const COIN = { name: 'Bitcoin', symbol: 'BTC', decimals: 8 };

export const BITCOIN_LOCAL: Omit<BitcoinChain, 'rpcUrl'> = {
  slug: 'bitcoin-local',
  chainId: 20_000_000_000_002,
  kind: 'bitcoin',
  name: 'Bitcoin Local',
  nativeCurrency: COIN,
  confirmations: 1,
  tokens: [{ address: 'BTC', ...COIN }],
};
