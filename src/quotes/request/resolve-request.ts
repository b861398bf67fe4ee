import type { CustomerId } from '../../auth/principal';
import { assertNotBlocked } from '../../auth/sanctions';
import type { Chain } from '../../chains/chain';
import { serviceError, type ServiceError } from '../../errors/service-error';
import { validationError, type ValidationIssue } from '../../errors/validation';
import type { FiatTerms } from '../../ramps/fiat-terms';
import type { Token } from '../../tokens/token';
import { noRouteError, type UnservedChains } from './no-route-error';
import { eligibleProviders, findPreferred } from './eligible-providers';
import { assertFiatAmount } from '../../venues/ramp/fiat-amount';
import { checkPayout, type FiatDeps, resolveFiat } from './resolve-fiat';
import { assertSponsored, type Sponsorship } from './sponsored-route';
import type { RawFields } from '../../errors/field-reader';
import { parseQuoteRequest, type ParseDeps } from './parse-quote-request';
import { assertRecipients, type Recipient, type RecipientCheckDeps } from './recipient-check';
import type { QuoteProvider, QuoteRequest } from '../../venues/quote-provider';
import type { SwapIntent } from './swap-intent';

export interface ResolveDeps extends ParseDeps, RecipientCheckDeps {
  readonly blockedAddresses: ReadonlySet<string>;
  readonly providers: readonly QuoteProvider[];
  /** True when the deployment has an RPC endpoint for the chain, or needs none. */
  readonly isServed: (chain: Chain) => boolean;
  readonly tokens: { find(chain: Chain, address: string): Promise<Token | undefined> };
  readonly sponsorship: Sponsorship;
  readonly fiat: FiatDeps;
  /** Maximum time for one provider, in milliseconds. */
  readonly budgetMs: number;
}

/** Arguments of a quote and the customer that requests it. */
export interface CustomerRequest {
  readonly customerId: CustomerId;
  readonly fields: RawFields;
}

/** A request that can be priced, and its eligible providers. */
export interface ResolvedRequest {
  readonly intent: SwapIntent;
  readonly request: QuoteRequest;
  readonly providers: readonly QuoteProvider[];
}

/**
 * Validates the arguments of a quote, looks up its tokens and finds its eligible providers.
 *
 * @throws what `parseQuoteRequest` throws; FORBIDDEN for a blocked address; FEE_SPONSORSHIP_NOT_ALLOWED; VALIDATION_ERROR
 * for a token that the chain does not have, and for a recipient that is a contract where tokens are lost;
 * INVALID_PREFERRED_PROVIDER, PREFERRED_PROVIDER_NOT_ELIGIBLE, NO_ROUTE_FOUND;
 * for fiat routes what `resolveFiat`, `assertFiatAmount` and `checkPayout` throw.
 */
export async function resolveRequest(
  deps: ResolveDeps,
  { customerId, fields }: CustomerRequest,
): Promise<ResolvedRequest> {
  const intent = parseQuoteRequest(deps, fields);
  assertNotBlocked(deps.blockedAddresses, addressesOf(intent));
  if (intent.feeSponsorship) await assertSponsored(deps, { customerId, route: intent });
  const preferred = findPreferred(deps.providers, intent.preferredProvider);
  const unserved = unservedChains(deps, intent);
  if (unserved !== undefined) {
    throw preferred === undefined ? noRouteError(intent, unserved) : notEligibleError(preferred);
  }
  // Half of the budget: after the KYC lookup the ramp still has to price the request.
  const lookupMs = Math.ceil(deps.budgetMs / 2);
  const [route] = await Promise.all([
    toQuoteRequest(deps, intent),
    assertRecipients(deps, recipientsOf(intent), AbortSignal.timeout(lookupMs)),
  ]);
  const lookupTimeout = AbortSignal.timeout(lookupMs);
  const fiat = await resolveFiat(deps.fiat, { customerId, intent, request: route }, lookupTimeout);
  const request = fiat === undefined ? route : { ...route, fiat };
  assertFiatAmount(request);
  const providers = eligibleProviders({ providers: deps.providers, preferred }, request);
  if (providers.length === 0) throw noProviderError(intent, fiat);
  if (fiat !== undefined) await checkPayout(deps.fiat, { fiat, intent }, AbortSignal.timeout(deps.budgetMs));
  return { intent, request, providers };
}

/** The chains of the route that this deployment does not serve, and those that it serves; `undefined` when it serves both. */
function unservedChains(
  { chains, isServed }: Pick<ResolveDeps, 'chains' | 'isServed'>,
  { origin, destination }: SwapIntent,
): UnservedChains | undefined {
  const unserved = new Set([origin, destination].filter((chain) => !isServed(chain)).map(({ slug }) => slug));
  if (unserved.size === 0) return undefined;
  return { unservedChains: [...unserved], servedChains: chains.all.filter(isServed).map(({ slug }) => slug) };
}

/** All addresses in the request. */
const addressesOf = (intent: SwapIntent): readonly string[] =>
  [
    ...[intent.tokenIn.address, intent.tokenOut.address],
    ...[intent.originAddress, intent.destinationAddress, intent.refundAddress],
  ].filter((address) => address !== undefined);

/** The addresses that receive tokens. */
function recipientsOf({ origin, destination, destinationAddress, refundAddress }: SwapIntent): readonly Recipient[] {
  const recipients = [
    { path: 'destinationAddress', chain: destination, address: destinationAddress },
    { path: 'refundAddress', chain: origin, address: refundAddress },
  ];
  return recipients.flatMap(({ address, ...place }) => (address === undefined ? [] : [{ ...place, address }]));
}

/** RAMP_PROVIDER_NOT_ELIGIBLE for a selected ramp, else NO_ROUTE_FOUND. */
function noProviderError(intent: SwapIntent, fiat: FiatTerms | undefined): ServiceError {
  if (fiat === undefined || intent.rampProvider === undefined) return noRouteError(intent);
  return serviceError('RAMP_PROVIDER_NOT_ELIGIBLE', { provider: fiat.name, reason: 'it does not support this route' });
}

const notEligibleError = ({ id }: QuoteProvider) => serviceError('PREFERRED_PROVIDER_NOT_ELIGIBLE', { provider: id });

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
