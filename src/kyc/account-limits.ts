import type { CustomerId } from '../auth/principal';
import { validationError } from '../errors/validation';
import { toBaseUnits } from '../money/base-units';
import { routeLimits } from '../ramps/route-limits';
import { rampByName } from '../ramps/ramp-names';
import type { RampId, AccountLimit } from '../ramps/ramp-provider';
import { resolveRamp } from './customer-rules';
import type { IdentityDeps } from './identity-deps';
import { lookUpProfile } from './look-up-profile';
import { loadUsableAccount, requireApprovedAccountId } from './account-holder';
import { readOnlyPoller } from './poll-verification';

export interface AccountLimitsRequest {
  readonly customerId: CustomerId;
  /** Takes precedence over the wallet. */
  readonly kycUserId: string | undefined;
  readonly walletAddress: string | undefined;
  /** As given in the request. */
  readonly rampProvider: string | undefined;
  /** False for a caller that may only read: a poll of the verification stores its result. */
  readonly mayPoll: boolean;
}

/** The amounts that a ramp lets a person move. */
export interface AccountLimits {
  /** The ramp, by the name in the request. */
  readonly provider: string;
  readonly limits: readonly AccountLimit[];
}

/**
 * Requests the current limits of a person's account from the ramp. The ramp is polled for the verification first when the
 * stored state would refuse the request and the caller `mayPoll`. The limits of the routes apply as well: a minimum that the
 * ramp does not report is the lowest minimum of its routes in that currency and direction (`routeLimits`), or `undefined`.
 *
 * @throws INVALID_RAMP_PROVIDER, VALIDATION_ERROR without a profile id and a wallet, RAMP_PROVIDER_NOT_ELIGIBLE,
 * SECONDARY_RAMP_NOT_CONFIGURED, KYC_PROFILE_NOT_FOUND, the codes of `resolveAccountHolder`, and those of the ramp
 */
export async function loadAccountLimits(
  deps: IdentityDeps,
  { customerId, kycUserId, walletAddress, rampProvider, mayPoll }: AccountLimitsRequest,
  signal: AbortSignal,
): Promise<AccountLimits> {
  rampByName(deps.brands, rampProvider);
  if ([kycUserId, walletAddress].every((name) => (name ?? '') === '')) {
    throw validationError([{ path: 'kycUserId', message: 'is required, or walletAddress' }]);
  }
  const named = await resolveRamp(deps, { customerId, rampProvider });
  const { ramp, name: provider } = named;
  deps.rampProviders[ramp].assertConfigured?.();
  const profile = await lookUpProfile(deps, customerId, { kycUserId, walletAddress });
  const poller = mayPoll ? readOnlyPoller(deps) : { database: deps.database, pollReadOnly: () => Promise.resolve() };
  const account = await loadUsableAccount(poller, { key: profile, ramp }, signal);
  const accountId = requireApprovedAccountId(named, account);
  const limits = await deps.rampProviders[ramp].accountLimits({ accountId, kycUserId: profile.kycUserId }, signal);
  return { provider, limits: limits.map((limit) => ({ ...limit, minimum: limit.minimum ?? minimumOf(ramp, limit) })) };
}

/** The token with the lowest minimum at each ramp. */
const TOKEN_OF_LOWEST_MINIMUM = {
  primary: { symbol: 'BRLA', decimals: 18 },
  secondary: { symbol: 'USDC', decimals: 6 },
} as const;

function minimumOf(ramp: RampId, { direction, currency }: AccountLimit): AccountLimit['minimum'] {
  const { in: amountIn, out: amountOut } = routeLimits({ direction, currency, token: TOKEN_OF_LOWEST_MINIMUM[ramp] });
  const range = direction === 'onRamp' ? amountIn : amountOut;
  return range === undefined ? undefined : toBaseUnits(range.minimum.units);
}
