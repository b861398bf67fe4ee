import type { Chain } from '../../chains/chain';
import { serviceError, type ServiceError } from '../../errors/service-error';
import type { SwapIntent } from './swap-intent';

type Route = Pick<SwapIntent, 'origin' | 'destination' | 'tokenIn' | 'tokenOut'>;

/** The slugs of the chains that this deployment does not serve, and of all that it serves. */
export type UnservedChains = Readonly<Record<'unservedChains' | 'servedChains', readonly string[]>>;

/** NO_ROUTE_FOUND that names the chains and tokens in the caller's spelling, and says which chain is not served. */
export function noRouteError(
  { origin, destination, tokenIn, tokenOut }: Route,
  unserved?: UnservedChains,
): ServiceError {
  const named = ({ slug }: Chain): string =>
    unserved?.unservedChains.includes(slug) === true ? `${slug} (not served by this deployment)` : slug;
  return serviceError(
    'NO_ROUTE_FOUND',
    {
      tokenIn: tokenIn.requestedAddress,
      originChain: named(origin),
      tokenOut: tokenOut.requestedAddress,
      destinationChain: named(destination),
    },
    unserved === undefined ? {} : { details: unserved },
  );
}
