import type { FiatTerms } from '../../ramps/fiat-terms';
import type { FiatCurrency, RampRoute } from '../../ramps/ramp-provider';
import type { QuoteRequest } from '../quote-provider';

type Ends = Pick<QuoteRequest, 'origin' | 'destination' | 'tokenIn' | 'tokenOut'>;

/** True when one end is a bank and the other a chain. */
export const isFiatRoute = ({ origin, destination }: Pick<Ends, 'origin' | 'destination'>): boolean =>
  (origin.kind === 'fiat') !== (destination.kind === 'fiat');

/** The route as ramps define it, without its rail; `undefined` unless one end is fiat. */
export function rampRouteOf({ origin, destination, tokenIn, tokenOut }: Ends): Omit<RampRoute, 'rail'> | undefined {
  if (!isFiatRoute({ origin, destination })) return undefined;
  return origin.kind === 'fiat'
    ? { direction: 'onRamp', currency: tokenIn.address as FiatCurrency, token: tokenOut, chain: destination }
    : { direction: 'offRamp', currency: tokenOut.address as FiatCurrency, token: tokenIn, chain: origin };
}

/** The route with its rail; `undefined` unless one end is fiat and the rail is given. */
export function rampRouteOnRail(
  request: Ends & { readonly fiat?: Pick<FiatTerms, 'rail'> | undefined },
): RampRoute | undefined {
  const route = rampRouteOf(request);
  return route === undefined || request.fiat === undefined ? undefined : { ...route, rail: request.fiat.rail };
}
