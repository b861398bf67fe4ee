import { type Address, getAddress } from 'viem';
import type { Chain } from '../../src/chains/chain';
import type { Strategy } from '../../src/strategies/strategy';
import type { ProtocolName } from '../../src/strategies/strategy-row';

export const addressOf = (digit: string): Address => getAddress(`0x${digit.repeat(40)}`);
export const UNDERLYING = addressOf('1');
export const RECEIPT = addressOf('2');
export const POOL = addressOf('3');
export const WALLET = addressOf('a');
export const OTHER = addressOf('b');
export const ROUTER = addressOf('c');
export const ZERO = addressOf('0');

const chain: Chain = {
  slug: 'sample',
  chainId: 31_337,
  kind: 'evm',
  name: 'Sample',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  explorer: undefined,
  confirmations: 1,
  wrappedNative: undefined,
  connectors: [],
  dollarTokens: [],
  uniswapV2: undefined,
  uniswapV3: undefined,
  tokens: [],
};

const token = (address: Address, symbol: string) => ({
  chainId: chain.chainId,
  address,
  symbol,
  name: symbol,
  decimals: 6,
  logoURI: undefined,
});

/** A strategy that needs no chain. */
export const sampleStrategy = (protocol: ProtocolName): Strategy => ({
  row: {
    id: `Sample-USDC-${protocol}`,
    aliases: [],
    protocol,
    brand: 'Sample',
    chainId: chain.chainId,
    market: POOL,
    underlying: UNDERLYING,
    startDate: '2026-01-01',
    categories: [],
    isDefault: false,
    paused: false,
    trustMax: true,
    knownFeeBps: 0,
    metadata: {},
  },
  chain,
  underlying: token(UNDERLYING, 'USDC'),
  receipt: token(RECEIPT, 'rUSDC'),
  contracts: { pool: POOL },
});
