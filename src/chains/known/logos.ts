const ETHEREUM_ASSETS = 'https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/ethereum/assets';
const assetOf = (address: string): string => `${ETHEREUM_ASSETS}/${address}/logo.png`;

/** Logos of tokens that exist on many chains, by their Ethereum contract. */
export const LOGOS = {
  USDC: assetOf('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
  USDT: assetOf('0xdAC17F958D2ee523a2206206994597C13D831ec7'),
  DAI: assetOf('0x6B175474E89094C44Da98b954EedeAC495271d0F'),
  WETH: assetOf('0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'),
  WBTC: assetOf('0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599'),
} as const;
