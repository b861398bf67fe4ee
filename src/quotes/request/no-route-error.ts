import { serviceError, type ServiceError, type ServiceErrorOptions } from '../../errors/service-error';
import type { SwapIntent } from './swap-intent';

type Route = Pick<SwapIntent, 'origin' | 'destination' | 'tokenIn' | 'tokenOut'>;

/** NO_ROUTE_FOUND that names the chains and tokens in the caller's spelling. */
export const noRouteError = (
  { origin, destination, tokenIn, tokenOut }: Route,
  options?: Pick<ServiceErrorOptions, 'details'>,
): ServiceError =>
  serviceError(
    'NO_ROUTE_FOUND',
    {
      tokenIn: tokenIn.requestedAddress,
      originChain: origin.slug,
      tokenOut: tokenOut.requestedAddress,
      destinationChain: destination.slug,
    },
    options,
  );
