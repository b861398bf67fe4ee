import type { CustomerId } from '../auth/principal';
import { validationError } from '../errors/validation';
import { toBaseUnits } from '../money/base-units';
import { rampLimits } from '../ramps/ramp-limits';
import { rampByName } from '../ramps/ramp-names';
import type { RampId, AccountLimit } from '../ramps/ramp-provider';
import { resolveRamp } from './customer-rules';
import type { IdentityDeps } from './identity-deps';
import { lookUpProfile } from './look-up-profile';
import { loadUsableAccount, requireApprovedAccountId } from './account-holder';
import { readOnlyPoller } from './poll-verification';

export interface PersonLimitsRequest {
  readonly customerId: CustomerId;
  /** Counts before the wallet. */
  readonly kycUserId: string | undefined;
  readonly walletAddress: string | undefined;
  /** As the caller wrote it. */
  readonly rampProvider: string | undefined;
}

/** What a ramp lets a person move. */
export interface PersonLimits {
  /** By the name that was asked for. */
  readonly provider: string;
  readonly limits: readonly AccountLimit[];
}

/**
 * What a ramp lets a person move, as the ramp tells it at this moment. The bounds of the routes hold beside it; where the
 * ramp tells no minimum, it is the least that any of its routes takes in that currency and direction (`rampLimits`), and
 * stays `undefined` where there is none.
 *
 * @throws INVALID_RAMP_PROVIDER, VALIDATION_ERROR when nobody is named, RAMP_PROVIDER_NOT_ELIGIBLE,
 * SECONDARY_RAMP_NOT_CONFIGURED, KYC_PROFILE_NOT_FOUND, the codes of `resolveAccountHolder`, and those of the ramp
 */
export async function loadPersonLimits(
  deps: IdentityDeps,
  { customerId, kycUserId, walletAddress, rampProvider }: PersonLimitsRequest,
  signal: AbortSignal,
): Promise<PersonLimits> {
  rampByName(deps.brands, rampProvider);
  if ([kycUserId, walletAddress].every((name) => (name ?? '') === '')) {
    throw validationError([{ path: 'kycUserId', message: 'is required, or walletAddress' }]);
  }
  const { ramp, name: provider } = await resolveRamp(deps, { customerId, rampProvider });
  deps.money[ramp].assertConfigured?.();
  const profile = await lookUpProfile(deps, customerId, { kycUserId, walletAddress });
  const accountId = requireApprovedAccountId(
    ramp,
    await loadUsableAccount(readOnlyPoller(deps), { key: profile, ramp }, signal),
  );
  const told = await deps.money[ramp].accountLimits({ accountId, kycUserId: profile.kycUserId }, signal);
  return { provider, limits: told.map((limit) => ({ ...limit, minimum: limit.minimum ?? leastOf(ramp, limit) })) };
}

/** The token of which a ramp takes the least: what the routes that go through others take is more, or the same. */
const LEAST_TOKEN = {
  primary: { symbol: 'BRLA', decimals: 18 },
  secondary: { symbol: 'USDC', decimals: 6 },
} as const;

function leastOf(ramp: RampId, { direction, currency }: AccountLimit): AccountLimit['minimum'] {
  const { in: paidIn, out: paidOut } = rampLimits({ direction, currency, token: LEAST_TOKEN[ramp] });
  const range = direction === 'onRamp' ? paidIn : paidOut;
  return range === undefined ? undefined : toBaseUnits(range.least.units);
}
