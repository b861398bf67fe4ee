import type { Logger } from 'pino';
import type { RampKycProvider } from '../ramps/kyc-provider';
import type { RampBrands } from '../ramps/ramp-names';
import type { RampId, RampProvider } from '../ramps/ramp-provider';
import type { EvidenceDeps } from './evidence/load-evidence';
import type { ProfileDeps } from './profile';
import type { SingleFlight } from '../async/single-flight';

/** Polls of this process that have not ended, by account. */
export type PollsInFlight = SingleFlight<void>;

/** Dependencies of identity verification. */
export interface IdentityDeps extends ProfileDeps {
  readonly ramps: Readonly<Record<RampId, RampKycProvider>>;
  /** The same ramps, for account limits. */
  readonly rampProviders: Readonly<Record<RampId, Pick<RampProvider, 'accountLimits' | 'assertConfigured'>>>;
  readonly brands: RampBrands;
  readonly evidence: EvidenceDeps;
  readonly blockedAddresses: ReadonlySet<string>;
  /** One map for the process. */
  readonly pollsInFlight: PollsInFlight;
  /** True while a ramp receives no requests, because it failed repeatedly. */
  readonly isCoolingDown: (ramp: RampId) => boolean;
  readonly log: Pick<Logger, 'warn'>;
}
