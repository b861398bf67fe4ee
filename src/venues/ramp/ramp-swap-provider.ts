import { invariant } from '../../errors/invariant-error';
import { minimumOutput } from '../minimum-output';
import { looksLikeBrCode } from '../../ramps/br-code';
import type { FiatTerms } from '../../ramps/fiat-terms';
import type { RampQuote } from '../../ramps/ramp-provider';
import type { DeliveryProvider } from '../delivery-provider';
import type { ProviderExecution, ProviderQuote, QuoteRequest, RouteLeg } from '../quote-provider';
import { type RampToken, rampTokensFor } from './ramp-tokens';
import { type RampSwapDeps, quoteBestLeg, legFromRamp, legToRamp, bestByAmountOut, planJson } from './swap-leg';
import { rampSwapFees } from './ramp-swap-fees';
import { offRampDeliveries } from './off-ramp-swap-deliveries';
import { buildOffRamp } from './build-off-ramp-swap';
import { buildOnRamp } from './build-on-ramp-swap';
import { onRampDeliveries } from './on-ramp-swap-deliveries';
import { assertFiatOffer } from './fiat-amount';
import { cancellation } from './ramp-deliveries';
import { rampRouteOf } from './ramp-route';
import { rangeInSoldToken } from './range-in-sold-token';
import { assertFallbackReachable } from './refund-address';
import { DURATION_SECONDS } from './ramp-quote-provider';

/**
 * A ramp combined with a swap or bridge transfer, for tokens that the ramp does not support: one quote, one action.
 *
 * - Off-ramp: the customer signs one transaction that swaps to a ramp token and deposits it at the ramp, which pays out
 * the received amount.
 * - On-ramp: the ramp pays its token to the service wallet, which swaps it for the customer. When the quoted minimum is
 * not available, the customer receives the ramp token.
 */
export function createRampSwapProvider(deps: RampSwapDeps): DeliveryProvider {
  const { ramp } = deps;
  const [offRamp, onRamp] = [offRampDeliveries(deps), onRampDeliveries(deps)];
  return {
    id: `${ramp.id}-swap`,
    selectable: false,
    capabilities: {
      // A BR Code requires an exact payout, which a swap cannot guarantee.
      supports: (request) =>
        request.fiat?.ramp === ramp.id &&
        request.side === 'in' &&
        !isBrCode(request.fiat) &&
        isServedRoute(deps, request),
    },
    quote: (request, signal) => quoteOf(deps, request, signal),
    build(parameters, signal): Promise<ProviderExecution> {
      const isOnRamp = parameters.request.origin.kind === 'fiat';
      return isOnRamp ? buildOnRamp(deps, parameters, signal) : buildOffRamp(deps, parameters, signal);
    },
    deliveries: {
      follow: (transfer, signal) =>
        (transfer.request.origin.kind === 'fiat' ? onRamp : offRamp).follow(transfer, signal),
      completion: async (transfer, signal) =>
        (transfer.request.origin.kind === 'fiat' ? onRamp : offRamp).completion?.(transfer, signal),
      // Off-ramps of ramps with cancellable tickets are not combined with swaps.
      ...cancellation(deps),
    },
  };
}

const isBrCode = (fiat: FiatTerms | undefined): boolean =>
  fiat?.payout?.rail === 'PIX' && looksLikeBrCode(fiat.payout.pixKey);

type RouteEnds = Parameters<DeliveryProvider['capabilities']['supports']>[0];

function isServedRoute(deps: RampSwapDeps, routeEnds: RouteEnds): boolean {
  const isOnRamp = routeEnds.origin.kind === 'fiat';
  if (isOnRamp ? deps.serviceWallet === undefined : deps.ramp.paysOutReceivedAmount !== true) return false;
  return rampTokensFor(deps, routeEnds).some(({ chain, token }) =>
    deps.venues.some(({ capabilities }) =>
      capabilities.supports(
        isOnRamp
          ? {
              origin: chain,
              destination: routeEnds.destination,
              tokenIn: token,
              tokenOut: routeEnds.tokenOut,
              side: 'in',
            }
          : { origin: routeEnds.origin, destination: chain, tokenIn: routeEnds.tokenIn, tokenOut: token, side: 'in' },
      ),
    ),
  );
}

/** The best offer over all ramp tokens. */
async function quoteOf(
  deps: RampSwapDeps,
  request: QuoteRequest,
  signal: AbortSignal,
): Promise<ProviderQuote | undefined> {
  const quoteThrough = request.origin.kind === 'fiat' ? onRampQuote : offRampQuote;
  const results = await Promise.allSettled(
    rampTokensFor(deps, request).map((rampToken) => quoteThrough(deps, { request, rampToken }, signal)),
  );
  const offers = results.flatMap((option) =>
    option.status === 'fulfilled' && option.value !== undefined ? [option.value] : [],
  );
  const best = bestByAmountOut(offers);
  const failed = results.find((option) => option.status === 'rejected');
  if (best === undefined && failed !== undefined) throw failed.reason;
  if (best !== undefined) assertFiatOffer(request, best);
  return best;
}

interface RouteOption {
  readonly request: QuoteRequest;
  readonly rampToken: RampToken;
}

async function offRampQuote(
  deps: RampSwapDeps,
  option: RouteOption,
  signal: AbortSignal,
): Promise<ProviderQuote | undefined> {
  const { request, rampToken } = option;
  await assertFallbackReachable(deps, { ...option, address: request.refundAddress ?? request.originAddress });
  const leg = legToRamp(request, rampToken);
  const offer = await quoteBestLeg(deps, leg, signal);
  if (offer === undefined) return undefined;
  const { account, thirdParty } = fiatTerms(request);
  const route = { ...routeOf(request), ...rampToken };
  const quote = await deps.ramp
    .quote({ route, side: 'in', amount: offer.expectedAmountOut, account, thirdParty }, signal)
    .catch((error: unknown) => {
      throw rangeInSoldToken(error, { leg: offer, tokenIn: request.tokenIn, rampToken: rampToken.token });
    });
  return combinedQuote(deps, option, {
    leg: offer,
    amount: quote.amountIn,
    amountOut: quote.amountOut,
    quote,
    route: [...offer.route, rampRouteLeg(option, rampToken.token.address, request.tokenOut.address)],
  });
}

async function onRampQuote(
  deps: RampSwapDeps,
  option: RouteOption,
  signal: AbortSignal,
): Promise<ProviderQuote | undefined> {
  const { request, rampToken } = option;
  await assertFallbackReachable(deps, { ...option, address: request.destinationAddress });
  const { account, thirdParty } = fiatTerms(request);
  const route = { ...routeOf(request), ...rampToken };
  const quote = await deps.ramp.quote({ route, side: 'in', amount: request.amount, account, thirdParty }, signal);
  const leg = legFromRamp(request, rampToken, quote.amountOut);
  const offer = await quoteBestLeg(deps, leg, signal);
  if (offer === undefined) return undefined;
  return combinedQuote(deps, option, {
    leg: offer,
    amount: quote.amountOut,
    amountOut: offer.expectedAmountOut,
    quote,
    route: [rampRouteLeg(option, request.tokenIn.address, rampToken.token.address), ...offer.route],
  });
}

interface CombinedParts {
  readonly leg: ProviderQuote;
  /** Amount of the ramp token between the two parts. */
  readonly amount: ProviderQuote['amountIn'];
  readonly amountOut: ProviderQuote['amountIn'];
  readonly quote: RampQuote;
  readonly route: readonly RouteLeg[];
}

function combinedQuote(
  { ramp }: RampSwapDeps,
  { request, rampToken }: RouteOption,
  parts: CombinedParts,
): ProviderQuote {
  const { leg, amount, amountOut, quote, route } = parts;
  const isOnRamp = request.origin.kind === 'fiat';
  return {
    provider: `${ramp.id}-swap`,
    amountIn: request.amount,
    maxAmountIn: request.amount,
    route,
    expectedAmountOut: amountOut,
    minAmountOut: minimumOutput(amountOut, request.slippage),
    // The service pays the gas of an on-ramp swap.
    priceImpactBps: leg.priceImpactBps,
    gasLimit: isOnRamp ? 0n : leg.gasLimit,
    estimatedDurationSeconds: leg.estimatedDurationSeconds + DURATION_SECONDS[fiatTerms(request).rail],
    fees: rampSwapFees({ leg, rampFees: quote.fees, isOnRamp }),
    transferSpeed: leg.transferSpeed,
    ...(isOnRamp ? {} : { nativeFee: leg.nativeFee }),
    execution: planJson({ rampToken, amount, leg }),
  };
}

const rampRouteLeg = ({ request, rampToken }: RouteOption, tokenIn: string, tokenOut: string): RouteLeg => {
  const { name, rail } = fiatTerms(request);
  return { protocol: name, chainId: rampToken.chain.chainId, tokenIn, tokenOut, shareBps: 10_000, pool: rail };
};

function fiatTerms({ fiat }: QuoteRequest): FiatTerms {
  invariant(fiat, 'a ramp prices fiat');
  return fiat;
}

function routeOf(request: QuoteRequest) {
  const route = rampRouteOf(request);
  invariant(route, 'a ramp prices fiat');
  return { ...route, rail: fiatTerms(request).rail };
}
