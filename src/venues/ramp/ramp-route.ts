import type { FiatTerms } from '../../ramps/fiat-terms';
import type { FiatCurrency, RampRoute } from '../../ramps/ramp-provider';
import type { QuoteRequest } from '../quote-provider';

type Ends = Pick<QuoteRequest, 'origin' | 'destination' | 'tokenIn' | 'tokenOut'>;

/** True when one end is a bank and the other a chain. */
export const isFiatRoute = ({ origin, destination }: Pick<Ends, 'origin' | 'destination'>): boolean =>
  (origin.kind === 'fiat') !== (destination.kind === 'fiat');

/** A route from or to fiat as the ramps know it; `undefined` of any other. */
export function rampRouteOf({ origin, destination, tokenIn, tokenOut }: Ends): Omit<RampRoute, 'rail'> | undefined {
  if (!isFiatRoute({ origin, destination })) return undefined;
  return origin.kind === 'fiat'
    ? { direction: 'onRamp', currency: tokenIn.address as FiatCurrency, token: tokenOut, chain: destination }
    : { direction: 'offRamp', currency: tokenOut.address as FiatCurrency, token: tokenIn, chain: origin };
}

/** The same of a request whose rail is known. */
export function pricedRoute(
  request: Ends & { readonly fiat?: Pick<FiatTerms, 'rail'> | undefined },
): RampRoute | undefined {
  const route = rampRouteOf(request);
  return route === undefined || request.fiat === undefined ? undefined : { ...route, rail: request.fiat.rail };
}
