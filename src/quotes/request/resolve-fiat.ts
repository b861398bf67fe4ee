import type { CustomerId } from '../../auth/principal';
import type { ChainTable } from '../../chains/chain-table';
import { serviceError } from '../../errors/service-error';
import { resolveRamp } from '../../kyc/customer-rules';
import { type AccountHolderDeps, findAccountHolder, resolveAccountHolder } from '../../kyc/account-holder';
import type { FiatTerms } from '../../ramps/fiat-terms';
import type { NamedRamp, RampBrands } from '../../ramps/ramp-names';
import type { PayoutDestination, RampId, RampProvider, RampRail, RampRoute } from '../../ramps/ramp-provider';
import type { OnUncheckedPixKey } from '../../ramps/unchecked-pix-key';
import type { QuoteRequest } from '../../venues/quote-provider';
import { isExecutable, type SwapIntent } from './swap-intent';
import { checkPixKey, readPixKey } from './pix-key-check';
import { rampRouteOf } from '../../venues/ramp/ramp-route';
import { assertRefundsTo } from '../../venues/ramp/refund-address';

/** Dependencies of fiat routes. */
export interface FiatDeps extends AccountHolderDeps {
  readonly chains: ChainTable;
  readonly ramps: Readonly<Record<RampId, RampProvider>>;
  readonly brands: RampBrands;
  readonly onUncheckedPixKey?: OnUncheckedPixKey | undefined;
}

export interface FiatRouteRequest {
  readonly customerId: CustomerId;
  readonly intent: SwapIntent;
  readonly request: QuoteRequest;
}

/**
 * Returns the ramp, rail, account and payee of a fiat route; `undefined` for any other route. To execute it, the wallet must
 * belong to a person with the ramp's approval; without a stored approval the ramp is polled until the signal aborts. A price
 * requires no person.
 *
 * @throws INVALID_RAMP_PROVIDER, RAMP_PROVIDER_NOT_ELIGIBLE, SECONDARY_RAMP_NOT_CONFIGURED, INVALID_PIX_KEY,
 * INVALID_PIX_BRCODE_FORMAT; NO_ROUTE_FOUND; what `resolveAccountHolder` throws
 */
export async function resolveFiat(
  deps: FiatDeps,
  { customerId, intent, request }: FiatRouteRequest,
  signal: AbortSignal,
): Promise<FiatTerms | undefined> {
  const route = rampRouteOf(request);
  if (route === undefined) return undefined;
  const { thirdParty, rampProvider } = intent;
  const named = await resolveRamp(deps, { customerId, rampProvider });
  const rail = railOf(route, intent);
  assertServed(deps, { named, route: { ...route, rail }, thirdParty });
  deps.ramps[named.ramp].assertConfigured?.();
  const { originAddress: sender, refundAddress } = request;
  assertRefundsTo(deps.ramps[named.ramp], { ...named, direction: route.direction, sender, refundAddress });
  const payout = route.direction === 'offRamp' ? parsePayoutTarget(intent) : undefined;
  const wallet = route.direction === 'onRamp' ? request.destinationAddress : request.originAddress;
  const findHolder = isExecutable(intent) ? resolveAccountHolder : findAccountHolder;
  const holder =
    wallet === undefined ? undefined : await findHolder(deps, { ...named, customerId, rail, wallet }, signal);
  return { ...named, rail, thirdParty, account: holder?.account, payout };
}

const railOf = ({ currency }: Omit<RampRoute, 'rail'>, { usdPaymentMethod }: SwapIntent): RampRail =>
  currency === 'BRL' ? 'PIX' : usdPaymentMethod;

interface ServedRoute {
  readonly named: NamedRamp;
  readonly route: RampRoute;
  readonly thirdParty: boolean;
}

/** Another token can be reached through a token of the ramp. A ramp without any token on the rail does not serve it. */
function assertServed(
  { ramps, chains }: Pick<FiatDeps, 'ramps' | 'chains'>,
  { named, route, thirdParty }: ServedRoute,
): void {
  const ramp = ramps[named.ramp];
  if (ramp.supports(route, { thirdParty })) return;
  const serves = chains.all.some((chain) =>
    chain.tokens.some((token) => {
      const { chainId } = chain;
      return ramp.supports({ ...route, chain, token: { logoURI: undefined, ...token, chainId } }, { thirdParty });
    }),
  );
  if (serves) return;
  const reason = thirdParty
    ? 'it does not support payouts to third parties on this route'
    : 'it does not support this payment method';
  throw serviceError('RAMP_PROVIDER_NOT_ELIGIBLE', { provider: named.name, reason });
}

function parsePayoutTarget({ pixKey, thirdParty, beneficiary }: SwapIntent): PayoutDestination | undefined {
  if (pixKey !== undefined) return { rail: 'PIX', pixKey: readPixKey(pixKey), thirdParty };
  return beneficiary === undefined ? undefined : { rail: beneficiary.paymentMethod, beneficiary };
}

/** Checks the caller's Pix key with the ramp, if there is one. @throws as `checkPixKey` */
export async function checkPayout(
  { ramps, onUncheckedPixKey }: Pick<FiatDeps, 'ramps' | 'onUncheckedPixKey'>,
  { fiat, intent }: { readonly fiat: FiatTerms; readonly intent: SwapIntent },
  signal: AbortSignal,
): Promise<void> {
  if (fiat.payout?.rail !== 'PIX') return;
  const { pixKey } = fiat.payout;
  const executable = isExecutable(intent);
  await checkPixKey({ ramp: ramps[fiat.ramp], pixKey, executable, onUncheckedPixKey }, signal);
}
