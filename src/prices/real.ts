import { FIAT_CHAIN_ID } from '../chains/chain';
import type { Token } from '../tokens/token';

/** The Brazilian real, as the token that its price is read with. */
export const REAL: Token = {
  chainId: FIAT_CHAIN_ID,
  address: 'BRL',
  symbol: 'BRL',
  name: 'Brazilian real',
  decimals: 2,
  logoURI: undefined,
};
