import { type Chain, FIAT_CHAIN_ID, SOLANA_CHAIN_ID } from './chain';

const fiat: Chain = {
  slug: 'fiat',
  chainId: FIAT_CHAIN_ID,
  kind: 'fiat',
  name: 'Fiat',
  nativeCurrency: { name: 'US dollar', symbol: 'USD', decimals: 2 },
  explorer: undefined,
  confirmations: 1,
  wrappedNative: undefined,
  connectors: [],
  dollarTokens: [],
  uniswapV2: undefined,
  uniswapV3: undefined,
  tokens: [
    { address: 'BRL', symbol: 'BRL', name: 'Brazilian real', decimals: 2 },
    { address: 'USD', symbol: 'USD', name: 'US dollar', decimals: 2 },
  ],
};

const solana: Chain = {
  slug: 'solana',
  chainId: SOLANA_CHAIN_ID,
  kind: 'solana',
  name: 'Solana',
  nativeCurrency: { name: 'Solana', symbol: 'SOL', decimals: 9 },
  explorer: { name: 'Solscan', url: 'https://solscan.io' },
  confirmations: 1,
  wrappedNative: undefined,
  connectors: [],
  dollarTokens: [],
  uniswapV2: undefined,
  uniswapV3: undefined,
  tokens: [],
};

/** The chains that every deployment knows by name; the ones with an RPC URL are also served. */
export const KNOWN_CHAINS: readonly Chain[] = [fiat, solana];
