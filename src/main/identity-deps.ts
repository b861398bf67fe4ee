import type { IdentityDeps } from '../kyc/identity-deps';
import type { Infrastructure } from './infrastructure';

/** What verifying people needs, of what reaches out of the process. */
export function identityDeps({ config, database, kyc, log }: Infrastructure): IdentityDeps {
  return {
    ...{ database, log, vault: kyc.vault, ramps: kyc.identity, evidence: kyc.evidence },
    brands: { primary: config.PRIMARY_RAMP_NAME, secondary: config.SECONDARY_RAMP_NAME },
    blockedAddresses: new Set(config.BLOCKED_ADDRESSES ?? []),
  };
}
