import type { CustomerId } from '../../auth/principal';
import { assertNotBlocked } from '../../auth/sanctions';
import type { Chain } from '../../chains/chain';
import { serviceError, type ServiceError } from '../../errors/service-error';
import { validationError, type ValidationIssue } from '../../errors/validation';
import type { FiatTerms } from '../../ramps/fiat-terms';
import type { Token } from '../../tokens/token';
import { noRoute } from '../choose-offer';
import { eligibleProviders, findPreferred } from './eligible-providers';
import { assertFiatAmount } from '../../venues/ramp/fiat-amount';
import { checkPayout, type FiatDeps, resolveFiat } from './resolve-fiat';
import type { RawFields } from '../../errors/field-reader';
import { parseQuoteRequest, type ParseDeps } from './parse-quote-request';
import type { QuoteProvider, QuoteRequest } from '../../venues/quote-provider';
import type { SwapIntent } from './swap-intent';

export interface ResolveDeps extends ParseDeps {
  readonly blockedAddresses: ReadonlySet<string>;
  readonly providers: readonly QuoteProvider[];
  /** True when the deployment can look at the chain, or need not. */
  readonly isServed: (chain: Chain) => boolean;
  readonly tokens: { find(chain: Chain, address: string): Promise<Token | undefined> };
  readonly sponsorship: Sponsorship;
  readonly fiat: FiatDeps;
  /** Longest time that a provider may take, in milliseconds. */
  readonly budgetMs: number;
}

/** Whose fees may be sponsored. */
export interface Sponsorship {
  allowed(customerId: CustomerId): Promise<boolean>;
}

/** Arguments of a quote, and who asks. */
export interface CustomerRequest {
  readonly customerId: CustomerId;
  readonly fields: RawFields;
}

/** A request that can be priced, and who to ask. */
export interface ResolvedRequest {
  readonly intent: SwapIntent;
  readonly request: QuoteRequest;
  readonly providers: readonly QuoteProvider[];
}

/**
 * Checks the arguments of a quote, looks up its tokens and finds who can price it.
 *
 * @throws what `parseQuoteRequest` throws; FORBIDDEN for a blocked address; FEE_SPONSORSHIP_NOT_ALLOWED; VALIDATION_ERROR
 * for a token that the chain does not have; INVALID_PREFERRED_PROVIDER, PREFERRED_PROVIDER_NOT_ELIGIBLE, NO_ROUTE_FOUND;
 * of routes from and to fiat what `resolveFiat`, `assertFiatAmount` and `checkPayout` throw.
 */
export async function resolveRequest(
  deps: ResolveDeps,
  { customerId, fields }: CustomerRequest,
): Promise<ResolvedRequest> {
  const intent = parseQuoteRequest(deps, fields);
  assertNotBlocked(deps.blockedAddresses, addressesOf(intent));
  if (intent.feeSponsorship) await assertSponsored(deps, { customerId, route: intent });
  const preferred = findPreferred(deps.providers, intent.preferredProvider);
  if (!deps.isServed(intent.origin) || !deps.isServed(intent.destination)) {
    throw preferred === undefined ? noRoute(intent) : notEligible(preferred);
  }
  const route = await toQuoteRequest(deps, intent);
  // Half of the budget: whoever asks a ramp about a person has yet to be told a price.
  const patience = AbortSignal.timeout(deps.budgetMs / 2);
  const fiat = await resolveFiat(deps.fiat, { customerId, intent, request: route }, patience);
  const request = fiat === undefined ? route : { ...route, fiat };
  assertFiatAmount(request);
  const providers = eligibleProviders({ providers: deps.providers, preferred }, request);
  if (providers.length === 0) throw nobodyServes(intent, fiat);
  if (fiat !== undefined) await checkPayout(deps.fiat, { fiat, intent }, AbortSignal.timeout(deps.budgetMs));
  return { intent, request, providers };
}

export interface SponsoredRoute {
  readonly customerId: CustomerId;
  readonly route: Pick<QuoteRequest, 'origin' | 'destination'>;
}

/**
 * Refuses to sponsor what is not eligible: a quote that is not sponsored would hide that. Eligible are transfers from an
 * EVM chain with a paymaster to another chain, of customers who may.
 *
 * @throws FEE_SPONSORSHIP_NOT_ALLOWED
 */
export async function assertSponsored(
  { sponsorship }: Pick<ResolveDeps, 'sponsorship'>,
  { customerId, route: { origin, destination } }: SponsoredRoute,
): Promise<void> {
  const isEligible = origin.paymaster !== undefined && origin.chainId !== destination.chainId;
  if (!isEligible || !(await sponsorship.allowed(customerId))) throw serviceError('FEE_SPONSORSHIP_NOT_ALLOWED');
}

/** Every address that the caller named. */
const addressesOf = (intent: SwapIntent): readonly string[] =>
  [
    ...[intent.tokenIn.address, intent.tokenOut.address],
    ...[intent.originAddress, intent.destinationAddress, intent.refundAddress],
  ].filter((address) => address !== undefined);

/** Of a ramp that was named, that it does not serve the route; without one, that there is none. */
function nobodyServes(intent: SwapIntent, fiat: FiatTerms | undefined): ServiceError {
  if (fiat === undefined || intent.rampProvider === undefined) return noRoute(intent);
  return serviceError('RAMP_PROVIDER_NOT_ELIGIBLE', { provider: fiat.name, reason: 'it does not serve this route' });
}

const notEligible = ({ id }: QuoteProvider) => serviceError('PREFERRED_PROVIDER_NOT_ELIGIBLE', { provider: id });

async function toQuoteRequest({ tokens }: ResolveDeps, intent: SwapIntent): Promise<QuoteRequest> {
  const { origin, destination, side, amount, slippage } = intent;
  const { originAddress, destinationAddress, refundAddress, transferSpeed } = intent;
  const [tokenIn, tokenOut] = await Promise.all([
    tokens.find(origin, intent.tokenIn.address),
    tokens.find(destination, intent.tokenOut.address),
  ]);
  if (tokenIn === undefined || tokenOut === undefined) throw validationError(missingTokens(tokenIn, tokenOut));
  return {
    origin,
    destination,
    tokenIn,
    tokenOut,
    side,
    amount,
    slippage,
    originAddress,
    destinationAddress,
    refundAddress,
    transferSpeed,
  };
}

function missingTokens(tokenIn: Token | undefined, tokenOut: Token | undefined): readonly ValidationIssue[] {
  const message = 'is not a token of its chain';
  return [
    ...(tokenIn === undefined ? [{ path: 'tokenIn', message }] : []),
    ...(tokenOut === undefined ? [{ path: 'tokenOut', message }] : []),
  ];
}
