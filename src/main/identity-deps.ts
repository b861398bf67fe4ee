import type { IdentityDeps } from '../kyc/identity-deps';
import type { RampBrands } from '../ramps/ramp-names';
import type { Infrastructure } from './infrastructure';

/** The names of the ramps in requests. */
export const rampBrands = (config: Infrastructure['config']): RampBrands => ({
  primary: config.PRIMARY_RAMP_NAME,
  secondary: config.SECONDARY_RAMP_NAME,
});

/** The dependencies of identity verification. */
export function identityDeps({ config, database, guards, kyc, log, ramps }: Infrastructure): IdentityDeps {
  return {
    database,
    log,
    vault: kyc.vault,
    ramps: kyc.kycProviders,
    evidence: kyc.evidence,
    pollsInFlight: kyc.pollsInFlight,
    isCoolingDown: (ramp) => guards.isCoolingDown(ramp),
    rampProviders: ramps.rampProviders,
    brands: rampBrands(config),
    blockedAddresses: new Set(config.BLOCKED_ADDRESSES ?? []),
  };
}
