import type { FiatCurrency, RampRoute } from '../../ramp-provider';
import { FIAT_UNIT, tokenUnit, type ApiUnit } from './api-amount';

/** Names of the chains at the ramp. The guide does not name Solana's: by analogy with the others. */
export type PrimaryRampNetwork = 'POLYGON' | 'BASE' | 'ETHEREUM' | 'CELO' | 'GNOSIS' | 'MOONBEAM' | 'SOLANA';

/** One side of a route: currency, payment method and unit. */
export interface RampSide {
  readonly currency: string;
  readonly method: string;
  readonly unit: ApiUnit;
}

export interface RampSides {
  readonly in: RampSide;
  readonly out: RampSide;
}

export type PrimaryRampNetworks = Readonly<Record<number, PrimaryRampNetwork>>;

type Tokens = Readonly<Record<FiatCurrency, readonly string[]>>;

const TOKENS: Tokens = { BRL: ['BRLA', 'BRZ', 'USDC'], USD: ['USDC'] };
const SOLANA_TOKENS: Tokens = { BRL: ['BRS'], USD: [] };
const RAILS: Readonly<Record<FiatCurrency, readonly string[]>> = { BRL: ['PIX'], USD: ['ACH', 'WIRE'] };

/** Tokens are compared by the address in the deployment's list, because any contract can use the symbol USDC. */
export function supportsRoute(networks: PrimaryRampNetworks, route: RampRoute, thirdParty: boolean): boolean {
  const { chain, token, currency, rail, direction } = route;
  const network = networks[chain.chainId];
  const tokens = network === 'SOLANA' ? SOLANA_TOKENS : TOKENS;
  if (network === undefined || !tokens[currency].includes(token.symbol)) return false;
  if (!RAILS[currency].includes(rail)) return false;
  if (thirdParty && (rail !== 'PIX' || direction !== 'offRamp')) return false;
  return chain.tokens.some(({ address, symbol }) => address === token.address && symbol === token.symbol);
}

/**
 * The ramp's names of both sides of a route. The deposit of an off-ramp goes to the person's account on chain and is paid out
 * from there, so that the wallet signs a plain transfer only.
 */
export function routeSides(
  networks: PrimaryRampNetworks,
  { chain, token, currency, rail, direction }: RampRoute,
): RampSides {
  const fiat = { currency, method: rail, unit: FIAT_UNIT };
  const unit = tokenUnit(token.decimals);
  if (direction === 'offRamp') return { in: { currency: token.symbol, method: 'INTERNAL', unit }, out: fiat };
  return { in: fiat, out: { currency: token.symbol, method: networks[chain.chainId] ?? '', unit } };
}

/** The sides of a refund from the person's account at the ramp to a wallet. */
export function refundSides(networks: PrimaryRampNetworks, { chain, token }: RampRoute): RampSides {
  const side = { currency: token.symbol, unit: tokenUnit(token.decimals) };
  return { in: { ...side, method: 'INTERNAL' }, out: { ...side, method: networks[chain.chainId] ?? '' } };
}
