import type { RampRoute } from '../../ramp-provider';
import type { SecondaryRampNetworks } from './ramp-api';
import { FIAT_DECIMALS, USDC_DECIMALS } from './api-amount';

const RAILS = { BRL: 'PIX', USD: 'WIRE' } as const;

/**
 * True for Pix and domestic wires to and from USDC. Not for payouts to a third party's Pix key, which require the tax id of its
 * holder. Tokens are compared by the address in the deployment's list, because any contract can use the symbol USDC.
 */
export function supportsRoute(networks: SecondaryRampNetworks, route: RampRoute, thirdParty: boolean): boolean {
  const { chain, token, currency, rail } = route;
  if (thirdParty || networks[chain.chainId] === undefined || RAILS[currency] !== rail) return false;
  if (token.symbol !== 'USDC' || token.decimals !== USDC_DECIMALS) return false;
  return chain.tokens.some(({ address, symbol }) => address === token.address && symbol === token.symbol);
}

/** One side of a route: currency, rail and decimals. */
export interface RampSide {
  readonly currency: string;
  readonly payment_rail: string;
  readonly decimals: number;
}

export interface RampSides {
  readonly type: 'on_ramp' | 'off_ramp';
  readonly in: RampSide;
  readonly out: RampSide;
}

/** The ramp's names of both sides of a supported route. */
export function routeSides(
  networks: SecondaryRampNetworks,
  { chain, currency, rail, direction }: RampRoute,
): RampSides {
  const fiat: RampSide = { currency, payment_rail: rail.toLowerCase(), decimals: FIAT_DECIMALS };
  const token: RampSide = {
    currency: 'USDC',
    payment_rail: networks[chain.chainId] ?? '',
    decimals: USDC_DECIMALS,
  };
  return direction === 'onRamp'
    ? { type: 'on_ramp', in: fiat, out: token }
    : { type: 'off_ramp', in: token, out: fiat };
}

/** Currency and rail of a side. */
export const sideParty = ({ currency, payment_rail }: RampSide) => ({ currency, payment_rail });
