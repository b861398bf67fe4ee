import type { RampRoute } from '../../ramp-provider';
import type { SecondaryRampNetworks } from './ramp-api';
import { FIAT_DECIMALS, USDC_DECIMALS } from './wire-amount';

const RAILS = { BRL: 'PIX', USD: 'WIRE' } as const;

/**
 * Pix and domestic wires, to and from USDC. Somebody else's Pix key is not paid to: the ramp asks for the tax id of its
 * holder. Tokens count by the address under which the deployment lists them: anybody may call a token USDC.
 */
export function supportsRoute(networks: SecondaryRampNetworks, route: RampRoute, thirdParty: boolean): boolean {
  const { chain, token, currency, rail } = route;
  if (thirdParty || networks[chain.chainId] === undefined || RAILS[currency] !== rail) return false;
  if (token.symbol !== 'USDC' || token.decimals !== USDC_DECIMALS) return false;
  return chain.tokens.some(({ address, symbol }) => address === token.address && symbol === token.symbol);
}

/** What goes in or comes out, and how. */
export interface Leg {
  readonly currency: string;
  readonly payment_rail: string;
  readonly decimals: number;
}

export interface Legs {
  readonly type: 'on_ramp' | 'off_ramp';
  readonly in: Leg;
  readonly out: Leg;
}

/** A route of those that are supported, as the ramp calls its ends. */
export function routeLegs(networks: SecondaryRampNetworks, { chain, currency, rail, direction }: RampRoute): Legs {
  const fiat: Leg = { currency, payment_rail: rail.toLowerCase(), decimals: FIAT_DECIMALS };
  const token: Leg = {
    currency: 'USDC',
    payment_rail: networks[chain.chainId] ?? '',
    decimals: USDC_DECIMALS,
  };
  return direction === 'onRamp'
    ? { type: 'on_ramp', in: fiat, out: token }
    : { type: 'off_ramp', in: token, out: fiat };
}

/** Currency and rail alone. */
export const legParty = ({ currency, payment_rail }: Leg) => ({ currency, payment_rail });
