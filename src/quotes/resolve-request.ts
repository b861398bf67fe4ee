import { assertNotBlocked } from '../auth/sanctions';
import type { Chain } from '../chains/chain';
import { serviceError } from '../errors/service-error';
import { validationError, type ValidationIssue } from '../errors/validation';
import type { Token } from '../tokens/token';
import { noRoute } from './choose-offer';
import { eligibleProviders, findPreferred } from './eligible-providers';
import type { RawFields } from './field-reader';
import { parseQuoteRequest, type ParseDeps } from './parse-quote-request';
import type { QuoteProvider, QuoteRequest } from './quote-provider';
import type { SwapIntent } from './swap-intent';

export interface ResolveDeps extends ParseDeps {
  readonly blockedAddresses: ReadonlySet<string>;
  readonly providers: readonly QuoteProvider[];
  readonly rpc: { serves(chainId: number): boolean };
  readonly tokens: { find(chain: Chain, address: string): Promise<Token | undefined> };
  /** Names of the ramps that `rampProvider` may pin. */
  readonly rampProviders: readonly string[];
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
 * @throws what `parseQuoteRequest` throws; FORBIDDEN for a blocked address; INVALID_RAMP_PROVIDER;
 * FEE_SPONSORSHIP_NOT_ALLOWED; VALIDATION_ERROR for a token that the chain does not have;
 * INVALID_PREFERRED_PROVIDER, PREFERRED_PROVIDER_NOT_ELIGIBLE, NO_ROUTE_FOUND.
 */
export async function resolveRequest(deps: ResolveDeps, fields: RawFields): Promise<ResolvedRequest> {
  const intent = parseQuoteRequest(deps, fields);
  assertNotBlocked(deps.blockedAddresses, addressesOf(intent));
  checkRamp(deps, intent);
  // Nobody pays the fees of others yet; to answer with a quote that is not sponsored would hide that.
  if (intent.feeSponsorship) throw serviceError('FEE_SPONSORSHIP_NOT_ALLOWED');
  const preferred = findPreferred(deps.providers, intent.preferredProvider);
  if (![intent.origin, intent.destination].every(({ chainId }) => deps.rpc.serves(chainId))) {
    throw preferred === undefined ? noRoute(intent) : notEligible(preferred);
  }
  const request = await toQuoteRequest(deps, intent);
  const providers = eligibleProviders({ providers: deps.providers, preferred }, request);
  if (providers.length === 0) throw noRoute(intent);
  return { intent, request, providers };
}

/** Every address that the caller named. */
const addressesOf = (intent: SwapIntent): readonly string[] =>
  [
    ...[intent.tokenIn.address, intent.tokenOut.address],
    ...[intent.originAddress, intent.destinationAddress, intent.refundAddress],
  ].filter((address) => address !== undefined);

/** `rampProvider` pins a fiat rail; on a route without one it is ignored. */
function checkRamp({ rampProviders }: ResolveDeps, { origin, destination, rampProvider }: SwapIntent): void {
  if (rampProvider === undefined || (origin.kind !== 'fiat' && destination.kind !== 'fiat')) return;
  const known = rampProviders.some((name) => name.toLowerCase() === rampProvider.toLowerCase());
  if (!known) throw serviceError('INVALID_RAMP_PROVIDER', { provider: rampProvider });
}

const notEligible = ({ id }: QuoteProvider) => serviceError('PREFERRED_PROVIDER_NOT_ELIGIBLE', { provider: id });

async function toQuoteRequest({ tokens }: ResolveDeps, intent: SwapIntent): Promise<QuoteRequest> {
  const { origin, destination, side, amount, slippage, originAddress, destinationAddress } = intent;
  const [tokenIn, tokenOut] = await Promise.all([
    tokens.find(origin, intent.tokenIn.address),
    tokens.find(destination, intent.tokenOut.address),
  ]);
  if (tokenIn === undefined || tokenOut === undefined) throw validationError(missingTokens(tokenIn, tokenOut));
  return {
    ...{ origin, destination, tokenIn, tokenOut, side, amount, slippage },
    ...{ originAddress, destinationAddress },
  };
}

function missingTokens(tokenIn: Token | undefined, tokenOut: Token | undefined): readonly ValidationIssue[] {
  const message = 'is not a token of its chain';
  return [
    ...(tokenIn === undefined ? [{ path: 'tokenIn', message }] : []),
    ...(tokenOut === undefined ? [{ path: 'tokenOut', message }] : []),
  ];
}
