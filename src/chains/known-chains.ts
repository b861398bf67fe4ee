import { WRAPPED_SOL } from './addresses';
import { BITCOIN_CHAIN_ID, type Chain, FIAT_CHAIN_ID, SOLANA_CHAIN_ID } from './chain';
import { arbitrum, base, ethereum, optimism } from './known/ethereum-family';
import { CHAIN_LOGOS } from './known/logos';
import { avalanche, bsc, celo, gnosis, polygon } from './known/other-evm';
import { PRICE_SOURCES } from './known/price-sources';
import { usdc, usdt } from './known/token-lists';

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
  logoURI: CHAIN_LOGOS.solana,
  confirmations: 1,
  wrappedNative: undefined,
  connectors: [],
  dollarTokens: [],
  uniswapV2: undefined,
  uniswapV3: undefined,
  jupiter: { program: 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4' },
  ramps: { primary: 'SOLANA' },
  prices: PRICE_SOURCES.solana,
  tokens: [
    { address: WRAPPED_SOL, symbol: 'SOL', name: 'Solana', decimals: 9 },
    usdc('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
    usdt('Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'),
  ],
};

const bitcoin: Chain = {
  slug: 'bitcoin',
  chainId: BITCOIN_CHAIN_ID,
  kind: 'bitcoin',
  name: 'Bitcoin',
  nativeCurrency: { name: 'Bitcoin', symbol: 'BTC', decimals: 8 },
  explorer: { name: 'mempool.space', url: 'https://mempool.space' },
  logoURI: CHAIN_LOGOS.bitcoin,
  confirmations: 1,
  wrappedNative: undefined,
  connectors: [],
  dollarTokens: [],
  uniswapV2: undefined,
  uniswapV3: undefined,
  prices: PRICE_SOURCES.bitcoin,
  tokens: [{ address: 'BTC', symbol: 'BTC', name: 'Bitcoin', decimals: 8 }],
};

/** The chains that every deployment lists. Those with an RPC URL are served. */
export const KNOWN_CHAINS: readonly Chain[] = [
  ...[ethereum, optimism, bsc, gnosis, polygon, base, arbitrum, avalanche, celo],
  ...[solana, bitcoin, fiat],
];
