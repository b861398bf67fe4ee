import type { CustomerId } from '../../auth/principal';
import type { ChainTable } from '../../chains/chain-table';
import { serviceError } from '../../errors/service-error';
import { chosenRamp } from '../../kyc/customer-rules';
import { type AccountDeps, accountFor } from '../../kyc/ramp-accounts';
import type { FiatTerms } from '../../ramps/fiat-terms';
import type { NamedRamp, RampBrands } from '../../ramps/ramp-names';
import type { Payout, RampId, RampProvider, RampRail, RampRoute } from '../../ramps/ramp-provider';
import type { QuoteRequest } from '../../venues/quote-provider';
import { isExecutable, type SwapIntent } from './swap-intent';
import { checkPixKey, readPixKey } from './pix-key-check';
import { rampRouteOf } from '../../venues/ramp/ramp-route';
import { assertRefundsTo } from '../../venues/ramp/refund-address';

/** What pricing fiat needs. */
export interface FiatDeps extends AccountDeps {
  readonly chains: ChainTable;
  readonly ramps: Readonly<Record<RampId, RampProvider>>;
  readonly brands: RampBrands;
}

export interface FiatQuestion {
  readonly customerId: CustomerId;
  readonly intent: SwapIntent;
  readonly request: QuoteRequest;
}

/**
 * Who carries a route from or to fiat, for whom, and where it pays to; `undefined` of any other route. The wallet that is
 * named has to belong to somebody whom the ramp has approved: of others it is asked, as long as the signal lasts.
 *
 * @throws INVALID_RAMP_PROVIDER, RAMP_PROVIDER_NOT_ELIGIBLE, SECONDARY_RAMP_NOT_CONFIGURED, INVALID_PIX_KEY,
 * INVALID_PIX_BRCODE_FORMAT; NO_ROUTE_FOUND; what `accountFor` throws
 */
export async function resolveFiat(
  deps: FiatDeps,
  { customerId, intent, request }: FiatQuestion,
  signal: AbortSignal,
): Promise<FiatTerms | undefined> {
  const route = rampRouteOf(request);
  if (route === undefined) return undefined;
  const { thirdParty, rampProvider } = intent;
  const named = await chosenRamp(deps, { customerId, rampProvider });
  const rail = railOf(route, intent);
  assertServed(deps, { named, route: { ...route, rail }, thirdParty });
  deps.ramps[named.ramp].assertConfigured?.();
  const { originAddress: sender, refundAddress } = request;
  assertRefundsTo(deps.ramps[named.ramp], { ...named, direction: route.direction, sender, refundAddress });
  const payout = route.direction === 'offRamp' ? payoutOf(intent) : undefined;
  const wallet = route.direction === 'onRamp' ? request.destinationAddress : request.originAddress;
  const owner = { customerId, ramp: named.ramp, rail };
  const holder = wallet === undefined ? undefined : await accountFor(deps, { ...owner, wallet }, signal);
  return { ...named, rail, thirdParty, account: holder?.account, payout };
}

const railOf = ({ currency }: Omit<RampRoute, 'rail'>, { usdPaymentMethod }: SwapIntent): RampRail =>
  currency === 'BRL' ? 'PIX' : usdPaymentMethod;

interface ServedQuestion {
  readonly named: NamedRamp;
  readonly route: RampRoute;
  readonly thirdParty: boolean;
}

/** Another token may be reached by way of one of the ramp's own; where there is none by that rail, the rail is not its own. */
function assertServed(
  { ramps, chains }: Pick<FiatDeps, 'ramps' | 'chains'>,
  { named, route, thirdParty }: ServedQuestion,
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
  const reason = thirdParty ? 'it does not pay third parties on this route' : 'it does not serve this rail';
  throw serviceError('RAMP_PROVIDER_NOT_ELIGIBLE', { provider: named.name, reason });
}

function payoutOf({ pixKey, thirdParty, beneficiary }: SwapIntent): Payout | undefined {
  if (pixKey !== undefined) return { rail: 'PIX', pixKey: readPixKey(pixKey), thirdParty };
  return beneficiary === undefined ? undefined : { rail: beneficiary.paymentMethod, beneficiary };
}

/** Asks the ramp about the Pix key that the caller gave, if there is one. @throws as `checkPixKey` */
export async function checkPayout(
  { ramps }: Pick<FiatDeps, 'ramps'>,
  { fiat, intent }: { readonly fiat: FiatTerms; readonly intent: SwapIntent },
  signal: AbortSignal,
): Promise<void> {
  if (fiat.payout?.rail !== 'PIX') return;
  const { pixKey } = fiat.payout;
  await checkPixKey({ ramp: ramps[fiat.ramp], pixKey, executable: isExecutable(intent) }, signal);
}
