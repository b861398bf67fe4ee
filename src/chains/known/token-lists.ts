import type { ListedToken } from '../chain';
import { LOGOS } from './logos';

export const usdc = (address: string, decimals = 6): ListedToken => ({
  address,
  symbol: 'USDC',
  name: 'USD Coin',
  decimals,
  logoURI: LOGOS.USDC,
});

export const bridgedUsdc = (address: string, symbol = 'USDC.e'): ListedToken => ({
  address,
  symbol,
  name: 'Bridged USD Coin',
  decimals: 6,
  logoURI: LOGOS.USDC,
});

export const usdt = (address: string, decimals = 6): ListedToken => ({
  address,
  symbol: 'USDT',
  name: 'Tether USD',
  decimals,
  logoURI: LOGOS.USDT,
});

export const dai = (address: string): ListedToken => ({
  address,
  symbol: 'DAI',
  name: 'Dai Stablecoin',
  decimals: 18,
  logoURI: LOGOS.DAI,
});

export const weth = (address: string): ListedToken => ({
  address,
  symbol: 'WETH',
  name: 'Wrapped Ether',
  decimals: 18,
  logoURI: LOGOS.WETH,
});

export const wbtc = (address: string): ListedToken => ({
  address,
  symbol: 'WBTC',
  name: 'Wrapped BTC',
  decimals: 8,
  logoURI: LOGOS.WBTC,
});

export const brz = (address: string): ListedToken => ({ address, symbol: 'BRZ', name: 'BRZ Token', decimals: 18 });

export const brla = (address: string): ListedToken => ({ address, symbol: 'BRLA', name: 'BRLA Token', decimals: 18 });
