import type { Token } from '../../tokens/token';

export interface TokenView {
  readonly name: string;
  readonly address: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly logo: string | undefined;
}

export const tokenView = ({ name, address, symbol, decimals, logoURI }: Token): TokenView => ({
  name,
  address,
  symbol,
  decimals,
  logo: logoURI,
});
