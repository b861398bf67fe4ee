import type { Logger } from 'pino';
import type { RampIdentityProvider } from '../ramps/identity-provider';
import type { RampBrands } from '../ramps/ramp-names';
import type { RampId, RampProvider } from '../ramps/ramp-provider';
import type { EvidenceDeps } from './evidence/load-evidence';
import type { ProfileDeps } from './profile';

/** Questions of this process that ramps have not answered yet, by account. */
export type OpenQuestions = Map<string, Promise<void>>;

/** What verifying people needs. */
export interface IdentityDeps extends ProfileDeps {
  readonly ramps: Readonly<Record<RampId, RampIdentityProvider>>;
  /** The same ramps, by what they let people move. */
  readonly money: Readonly<Record<RampId, Pick<RampProvider, 'limits' | 'assertConfigured'>>>;
  readonly brands: RampBrands;
  readonly evidence: EvidenceDeps;
  readonly blockedAddresses: ReadonlySet<string>;
  /** One for the process. */
  readonly openQuestions: OpenQuestions;
  /** True while a ramp is left alone, because it failed repeatedly. */
  readonly isResting: (ramp: RampId) => boolean;
  readonly log: Pick<Logger, 'warn'>;
}
