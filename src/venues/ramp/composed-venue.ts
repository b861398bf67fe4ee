import { invariant } from '../../errors/invariant-error';
import { lessShare } from '../../money/slippage';
import { looksLikeBrCode } from '../../ramps/br-code';
import type { FiatTerms } from '../../ramps/fiat-terms';
import type { RampQuote } from '../../ramps/ramp-provider';
import type { BridgeProvider } from '../delivery-source';
import type { Execution, ProviderQuote, QuoteRequest, RouteLeg } from '../quote-provider';
import { type Anchor, anchorsOf } from './anchors';
import type { ComposedVenueDeps } from './composed-deps';
import { composedFees } from './composed-fees';
import { offRampDeliveries } from './composed-off-ramp';
import { buildOffRamp } from './composed-off-ramp-call';
import { buildOnRamp } from './composed-on-ramp-payment';
import { onRampDeliveries } from './composed-on-ramp';
import { assertFiatOffer } from './fiat-amount';
import { bestLeg, legFromAnchor, legToAnchor, mostOut, planJson } from './leg';
import { callingOff } from './ramp-deliveries';
import { rampRouteOf } from './ramp-route';
import { assertFallbackReachable } from './refund-address';
import { DURATION_SECONDS } from './ramp-venue';

/**
 * A ramp together with a swap or a transfer between chains, for tokens that the ramp does not deal in: one quote, one
 * action.
 *
 * - Out of the chains the customer signs one transaction, which brings a token of the ramp's to the ramp; what arrives is
 *   paid out.
 * - Into the chains the ramp pays a token of its own to the wallet of the service, which at once buys what was asked for,
 *   for the customer's wallet. When the promise cannot be kept, the customer gets the ramp's token.
 */
export function createComposedVenue(deps: ComposedVenueDeps): BridgeProvider {
  const { ramp } = deps;
  const [outward, inward] = [offRampDeliveries(deps), onRampDeliveries(deps)];
  return {
    id: `${ramp.id}-swap`,
    pinnable: false,
    capabilities: {
      // A BR Code is paid exactly, and what a swap brings is not known to the last cent.
      supports: (request) =>
        request.fiat?.ramp === ramp.id && request.side === 'in' && !isBrCode(request.fiat) && isComposed(deps, request),
    },
    quote: (request, signal) => quoteOf(deps, request, signal),
    build(parameters, signal): Promise<Execution> {
      const isOnRamp = parameters.request.origin.kind === 'fiat';
      return isOnRamp ? buildOnRamp(deps, parameters, signal) : buildOffRamp(deps, parameters, signal);
    },
    deliveries: {
      follow: (shipment, signal) =>
        (shipment.request.origin.kind === 'fiat' ? inward : outward).follow(shipment, signal),
      completion: async (shipment, signal) =>
        (shipment.request.origin.kind === 'fiat' ? inward : outward).completion?.(shipment, signal),
      // Nothing is composed out of the chains where tickets would have to be ended.
      ...callingOff(deps),
    },
  };
}

const isBrCode = (fiat: FiatTerms | undefined): boolean =>
  fiat?.payout?.rail === 'PIX' && looksLikeBrCode(fiat.payout.pixKey);

type Ends = Parameters<BridgeProvider['capabilities']['supports']>[0];

function isComposed(deps: ComposedVenueDeps, ends: Ends): boolean {
  const isOnRamp = ends.origin.kind === 'fiat';
  if (isOnRamp ? deps.serviceWallet === undefined : deps.ramp.paysOutWhatArrives !== true) return false;
  return anchorsOf(deps, ends).some(({ chain, token }) =>
    deps.venues.some(({ capabilities }) =>
      capabilities.supports(
        isOnRamp
          ? { origin: chain, destination: ends.destination, tokenIn: token, tokenOut: ends.tokenOut, side: 'in' }
          : { origin: ends.origin, destination: chain, tokenIn: ends.tokenIn, tokenOut: token, side: 'in' },
      ),
    ),
  );
}

/** The best way over any of the anchors. */
async function quoteOf(
  deps: ComposedVenueDeps,
  request: QuoteRequest,
  signal: AbortSignal,
): Promise<ProviderQuote | undefined> {
  const wayOver = request.origin.kind === 'fiat' ? onRampWay : offRampWay;
  const ways = await Promise.allSettled(
    anchorsOf(deps, request).map((anchor) => wayOver(deps, { request, anchor }, signal)),
  );
  const offers = ways.flatMap((way) => (way.status === 'fulfilled' && way.value !== undefined ? [way.value] : []));
  const best = mostOut(offers);
  const failed = ways.find((way) => way.status === 'rejected');
  if (best === undefined && failed !== undefined) throw failed.reason;
  if (best !== undefined) assertFiatOffer(request, best);
  return best;
}

interface Way {
  readonly request: QuoteRequest;
  readonly anchor: Anchor;
}

async function offRampWay(deps: ComposedVenueDeps, way: Way, signal: AbortSignal): Promise<ProviderQuote | undefined> {
  const { request, anchor } = way;
  await assertFallbackReachable(deps, { ...way, address: request.refundAddress ?? request.originAddress });
  const leg = legToAnchor(request, anchor);
  const offer = await bestLeg(deps, leg, signal);
  if (offer === undefined) return undefined;
  const { account, thirdParty } = termsOf(request);
  const route = { ...routeOf(request), ...anchor };
  const quote = await deps.ramp.quote(
    { route, side: 'in', amount: offer.expectedAmountOut, account, thirdParty },
    signal,
  );
  return composed(deps, way, {
    leg: offer,
    amount: quote.amountIn,
    amountOut: quote.amountOut,
    quote,
    route: [...offer.route, rampLeg(way, anchor.token.address, request.tokenOut.address)],
  });
}

async function onRampWay(deps: ComposedVenueDeps, way: Way, signal: AbortSignal): Promise<ProviderQuote | undefined> {
  const { request, anchor } = way;
  await assertFallbackReachable(deps, { ...way, address: request.destinationAddress });
  const { account, thirdParty } = termsOf(request);
  const route = { ...routeOf(request), ...anchor };
  const quote = await deps.ramp.quote({ route, side: 'in', amount: request.amount, account, thirdParty }, signal);
  const leg = legFromAnchor(request, anchor, quote.amountOut);
  const offer = await bestLeg(deps, leg, signal);
  if (offer === undefined) return undefined;
  return composed(deps, way, {
    leg: offer,
    amount: quote.amountOut,
    amountOut: offer.expectedAmountOut,
    quote,
    route: [rampLeg(way, request.tokenIn.address, anchor.token.address), ...offer.route],
  });
}

interface Parts {
  readonly leg: ProviderQuote;
  /** Of the anchor, between the two parts. */
  readonly amount: ProviderQuote['amountIn'];
  readonly amountOut: ProviderQuote['amountIn'];
  readonly quote: RampQuote;
  readonly route: readonly RouteLeg[];
}

function composed({ ramp }: ComposedVenueDeps, { request, anchor }: Way, parts: Parts): ProviderQuote {
  const { leg, amount, amountOut, quote, route } = parts;
  const isOnRamp = request.origin.kind === 'fiat';
  return {
    provider: `${ramp.id}-swap`,
    amountIn: request.amount,
    maxAmountIn: request.amount,
    route,
    expectedAmountOut: amountOut,
    minAmountOut: lessShare(amountOut, request.slippage),
    // The gas of what the service carries on is the service's.
    priceImpactBps: leg.priceImpactBps,
    gasLimit: isOnRamp ? 0n : leg.gasLimit,
    estimatedDurationSeconds: leg.estimatedDurationSeconds + DURATION_SECONDS[termsOf(request).rail],
    fees: composedFees({ leg, rampFees: quote.fees, isOnRamp }),
    transferSpeed: leg.transferSpeed,
    ...(isOnRamp ? {} : { nativeFee: leg.nativeFee }),
    execution: planJson({ anchor, amount, leg }),
  };
}

const rampLeg = ({ request, anchor }: Way, tokenIn: string, tokenOut: string): RouteLeg => {
  const { name, rail } = termsOf(request);
  return { protocol: name, chainId: anchor.chain.chainId, tokenIn, tokenOut, shareBps: 10_000, pool: rail };
};

function termsOf({ fiat }: QuoteRequest): FiatTerms {
  invariant(fiat, 'a ramp prices fiat');
  return fiat;
}

function routeOf(request: QuoteRequest) {
  const route = rampRouteOf(request);
  invariant(route, 'a ramp prices fiat');
  return { ...route, rail: termsOf(request).rail };
}
