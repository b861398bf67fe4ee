const BLOCKCHAINS = 'https://raw.githubusercontent.com/trustwallet/assets/master/blockchains';
const assetOf = (address: string): string => `${BLOCKCHAINS}/ethereum/assets/${address}/logo.png`;
const chainOf = (folder: string): string => `${BLOCKCHAINS}/${folder}/info/logo.png`;

/** Logos of tokens that exist on many chains, by their Ethereum contract. */
export const LOGOS = {
  USDC: assetOf('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
  USDT: assetOf('0xdAC17F958D2ee523a2206206994597C13D831ec7'),
  DAI: assetOf('0x6B175474E89094C44Da98b954EedeAC495271d0F'),
  WETH: assetOf('0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'),
  WBTC: assetOf('0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599'),
} as const;

/** Logos of chains, by their slug. */
export const CHAIN_LOGOS = {
  ethereum: chainOf('ethereum'),
  optimism: chainOf('optimism'),
  bsc: chainOf('smartchain'),
  gnosis: chainOf('xdai'),
  polygon: chainOf('polygon'),
  base: chainOf('base'),
  arbitrum: chainOf('arbitrum'),
  avalanche: chainOf('avalanchec'),
  celo: chainOf('celo'),
  solana: chainOf('solana'),
  bitcoin: chainOf('bitcoin'),
} as const;
