import type { FiatCurrency, RampRoute } from '../../ramp-provider';
import { FIAT_UNIT, tokenUnit, type WireUnit } from './wire-amount';

/** Names of the chains at the ramp. The guide does not name Solana's: by analogy with the others. */
export type PrimaryRampNetwork = 'POLYGON' | 'BASE' | 'ETHEREUM' | 'CELO' | 'GNOSIS' | 'MOONBEAM' | 'SOLANA';

/** What goes in or comes out, and how. */
export interface Leg {
  readonly currency: string;
  readonly method: string;
  readonly unit: WireUnit;
}

export interface Legs {
  readonly in: Leg;
  readonly out: Leg;
}

export type PrimaryRampNetworks = Readonly<Record<number, PrimaryRampNetwork>>;

type Tokens = Readonly<Record<FiatCurrency, readonly string[]>>;

const TOKENS: Tokens = { BRL: ['BRLA', 'BRZ', 'USDC'], USD: ['USDC'] };
const SOLANA_TOKENS: Tokens = { BRL: ['BRS'], USD: [] };
const RAILS: Readonly<Record<FiatCurrency, readonly string[]>> = { BRL: ['PIX'], USD: ['ACH', 'WIRE'] };

/** Tokens count by the address under which the deployment lists them: anybody may call a token USDC. */
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
 * Both ends of a route. The token of an off-ramp is sent to the person's own account on chain first, and paid out from
 * there: a plain transfer is all that a wallet has to sign.
 */
export function routeLegs(networks: PrimaryRampNetworks, { chain, token, currency, rail, direction }: RampRoute): Legs {
  const fiat = { currency, method: rail, unit: FIAT_UNIT };
  const unit = tokenUnit(token.decimals);
  if (direction === 'offRamp') return { in: { currency: token.symbol, method: 'INTERNAL', unit }, out: fiat };
  return { in: fiat, out: { currency: token.symbol, method: networks[chain.chainId] ?? '', unit } };
}

/** The way of a token from the person's account at the ramp back to a wallet. */
export function refundLegs(networks: PrimaryRampNetworks, { chain, token }: RampRoute): Legs {
  const leg = { currency: token.symbol, unit: tokenUnit(token.decimals) };
  return { in: { ...leg, method: 'INTERNAL' }, out: { ...leg, method: networks[chain.chainId] ?? '' } };
}
