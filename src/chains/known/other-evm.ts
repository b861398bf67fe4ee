import type { Chain } from '../chain';
import { ACROSS_MULTICALL_HANDLER, cctp, UNISWAP_V2_LATER_ROUTER, UNISWAP_V3_CANONICAL } from './contract-addresses';
import { CHAIN_LOGOS } from './logos';
import { PRICE_SOURCES } from './price-sources';
import { brla, brz, bridgedUsdc, usdc, usdt, wbtc, weth } from './token-lists';

export const bsc: Chain = {
  slug: 'bsc',
  chainId: 56,
  kind: 'evm',
  name: 'BNB Smart Chain',
  nativeCurrency: { name: 'BNB', symbol: 'BNB', decimals: 18 },
  explorer: { name: 'BscScan', url: 'https://bscscan.com' },
  logoURI: CHAIN_LOGOS.bsc,
  confirmations: 15,
  wrappedNative: '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c',
  connectors: [
    '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c',
    '0x55d398326f99059fF775485246999027B3197955',
    '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d',
  ],
  dollarTokens: ['0x55d398326f99059fF775485246999027B3197955', '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d'],
  uniswapV2: { factory: '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6', router: UNISWAP_V2_LATER_ROUTER },
  uniswapV3: {
    factory: '0xdB1d10011AD0Ff90774D0C6Bb92e5C5c8b4461F7',
    router: '0xB971eF87ede563556b2ED4b1C0b0019111Dd85d2',
    quoter: '0x78D78E420Da98ad378D7799bE8f4AF69033EB077',
  },
  across: { spokePool: '0x4e8E101924eDE233C13e2D8622DC8aED2872d505', multicallHandler: ACROSS_MULTICALL_HANDLER },
  prices: PRICE_SOURCES.bsc,
  tokens: [
    { address: '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c', symbol: 'WBNB', name: 'Wrapped BNB', decimals: 18 },
    usdt('0x55d398326f99059fF775485246999027B3197955', 18),
    usdc('0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', 18),
    weth('0x2170Ed0880ac9A755fd29B2688956BD959F933F8'),
  ],
};

export const gnosis: Chain = {
  slug: 'gnosis',
  chainId: 100,
  kind: 'evm',
  name: 'Gnosis',
  nativeCurrency: { name: 'xDAI', symbol: 'XDAI', decimals: 18 },
  explorer: { name: 'Gnosisscan', url: 'https://gnosisscan.io' },
  logoURI: CHAIN_LOGOS.gnosis,
  confirmations: 20,
  wrappedNative: '0xe91D153E0b41518A2Ce8Dd3D7944Fa863463a97d',
  connectors: ['0xe91D153E0b41518A2Ce8Dd3D7944Fa863463a97d', '0xDDAfbb505ad214D7b80b1f830fcCc89B60fb7A83'],
  dollarTokens: ['0xe91D153E0b41518A2Ce8Dd3D7944Fa863463a97d', '0xDDAfbb505ad214D7b80b1f830fcCc89B60fb7A83'],
  uniswapV2: undefined,
  uniswapV3: undefined,
  ramps: { primary: 'GNOSIS' },
  prices: PRICE_SOURCES.gnosis,
  tokens: [
    { address: '0xe91D153E0b41518A2Ce8Dd3D7944Fa863463a97d', symbol: 'WXDAI', name: 'Wrapped XDAI', decimals: 18 },
    usdc('0xDDAfbb505ad214D7b80b1f830fcCc89B60fb7A83'),
    bridgedUsdc('0x2a22f9c3b484c3629090FeED35F17Ff8F88f76F0'),
    usdt('0x4ECaBa5870353805a9F068101A40E0f32ed605C6'),
    brla('0xFECB3F7c54E2CAAE9dC6Ac9060A822D47E053760'),
  ],
};

export const polygon: Chain = {
  slug: 'polygon',
  chainId: 137,
  kind: 'evm',
  name: 'Polygon',
  nativeCurrency: { name: 'POL', symbol: 'POL', decimals: 18 },
  explorer: { name: 'PolygonScan', url: 'https://polygonscan.com' },
  logoURI: CHAIN_LOGOS.polygon,
  confirmations: 32,
  wrappedNative: '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270',
  connectors: [
    '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270',
    '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
    '0xc2132D05D31c914a87C6611C10748AEb04B58e8F',
    '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174',
    '0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619',
  ],
  dollarTokens: ['0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F'],
  uniswapV2: {
    factory: '0x9e5A52f57b3038F1B8EeE45F28b3C1967e22799C',
    router: '0xedf6066a2b290C185783862C7F4776A2C8077AD1',
  },
  uniswapV3: UNISWAP_V3_CANONICAL,
  across: { spokePool: '0x9295ee1d8C5b022Be115A2AD3c30C72E34e7F096', multicallHandler: ACROSS_MULTICALL_HANDLER },
  cctp: cctp({ domain: 7, fastSource: false }, '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'),
  ramps: { primary: 'POLYGON', secondary: 'polygon' },
  prices: PRICE_SOURCES.polygon,
  tokens: [
    { address: '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270', symbol: 'WPOL', name: 'Wrapped POL', decimals: 18 },
    usdc('0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'),
    bridgedUsdc('0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174'),
    usdt('0xc2132D05D31c914a87C6611C10748AEb04B58e8F'),
    weth('0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619'),
    wbtc('0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6'),
    brla('0xE6A537a407488807F0bbeb0038B79004f19DDDFb'),
    brz('0x4eD141110F6EeeAbA9A1df36d8c26f684d2475Dc'),
  ],
};

export const avalanche: Chain = {
  slug: 'avalanche',
  chainId: 43114,
  kind: 'evm',
  name: 'Avalanche',
  nativeCurrency: { name: 'Avalanche', symbol: 'AVAX', decimals: 18 },
  explorer: { name: 'SnowTrace', url: 'https://snowtrace.io' },
  logoURI: CHAIN_LOGOS.avalanche,
  confirmations: 2,
  wrappedNative: '0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7',
  connectors: [
    '0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7',
    '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E',
    '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7',
  ],
  dollarTokens: ['0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E', '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7'],
  uniswapV2: { factory: '0x9e5A52f57b3038F1B8EeE45F28b3C1967e22799C', router: UNISWAP_V2_LATER_ROUTER },
  uniswapV3: {
    factory: '0x740b1c1de25031C31FF4fC9A62f554A55cdC1baD',
    router: '0xbb00FF08d01D300023C629E8fFfFcb65A5a578cE',
    quoter: '0xbe0F5544EC67e9B3b2D979aaA43f18Fd87E6257F',
  },
  across: {
    spokePool: '0xFE9D541c92E4e90437C7152A00244886dE37a658',
    multicallHandler: '0x9610954AcDCA5FF7905f051A040ce33fe613c60e',
  },
  cctp: cctp({ domain: 1, fastSource: false }, '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'),
  prices: PRICE_SOURCES.avalanche,
  tokens: [
    { address: '0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7', symbol: 'WAVAX', name: 'Wrapped AVAX', decimals: 18 },
    usdc('0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'),
    usdt('0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7'),
  ],
};

export const celo: Chain = {
  slug: 'celo',
  chainId: 42220,
  kind: 'evm',
  name: 'Celo',
  nativeCurrency: { name: 'CELO', symbol: 'CELO', decimals: 18 },
  explorer: { name: 'Celo Explorer', url: 'https://celoscan.io' },
  logoURI: CHAIN_LOGOS.celo,
  confirmations: 10,
  // CELO is an ERC-20 itself and cannot be wrapped: it trades under its token address.
  wrappedNative: undefined,
  connectors: ['0x471EcE3750Da237f93B8E339c536989b8978a438', '0xcebA9300f2b948710d2653dD7B07f33A8B32118C'],
  dollarTokens: ['0xcebA9300f2b948710d2653dD7B07f33A8B32118C', '0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e'],
  uniswapV2: undefined,
  uniswapV3: {
    factory: '0xAfE208a311B21f13EF87E33A90049fC17A7acDEc',
    router: '0x5615CDAb10dc425a742d643d949a7F474C01abc4',
    quoter: '0x82825d0554fA07f7FC52Ab63c961F330fdEFa8E8',
  },
  ramps: { primary: 'CELO' },
  prices: PRICE_SOURCES.celo,
  tokens: [
    { address: '0x471EcE3750Da237f93B8E339c536989b8978a438', symbol: 'CELO', name: 'Celo', decimals: 18 },
    usdc('0xcebA9300f2b948710d2653dD7B07f33A8B32118C'),
    usdt('0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e'),
    brla('0xFECB3F7c54E2CAAE9dC6Ac9060A822D47E053760'),
  ],
};
