import type { Config } from '../config/config';
import { serviceError, type ServiceError } from '../errors/service-error';
import { createGuardedFetch, type GuardedFetch } from '../http/guarded-fetch';
import type { EvidenceDeps } from '../kyc/evidence/load-evidence';
import { createPersonalDataVault, type PersonalDataVault } from '../persistence/personal-data';
import type { PollsInFlight } from '../kyc/identity-deps';
import type { RampKycProvider } from '../ramps/kyc-provider';
import type { RampId } from '../ramps/ramp-provider';
import type { Ramps } from './ramps';
import { createSingleFlight } from '../async/single-flight';

/** Identity verification: storage of personal data, and the ramps that verify persons. */
export interface KycParts {
  readonly vault: PersonalDataVault;
  readonly kycProviders: Readonly<Record<RampId, RampKycProvider>>;
  /** Polls of verifications that are in progress in this process. */
  readonly pollsInFlight: PollsInFlight;
  readonly evidence: EvidenceDeps & { readonly fetch: GuardedFetch };
}

export function openKyc(config: Config, { kycProviders }: Pick<Ramps, 'kycProviders'>): KycParts {
  const hosts = (config.EVIDENCE_HOSTS ?? []).map((host) => host.toLowerCase());
  const reach = { hosts, allowLoopback: config.ALLOW_LOOPBACK_URLS };
  return {
    vault: vaultOf(config),
    kycProviders,
    pollsInFlight: createSingleFlight(),
    evidence: { ...reach, fetch: createGuardedFetch(reach) },
  };
}

/** Lasts until the deployment is configured otherwise, so the request counts against the rate limit. */
const unavailable = (reason: string): ServiceError =>
  serviceError('SERVICE_UNAVAILABLE', { reason }, { details: { counted: true } });

/** Without keys personal data cannot be stored, and no verification can start. */
function vaultOf({ PERSONAL_DATA_KEYS: keys, BLIND_INDEX_KEY: indexKey }: Config): PersonalDataVault {
  if (keys !== undefined && indexKey !== undefined) {
    return createPersonalDataVault({ keys, indexKey: Buffer.from(indexKey, 'hex') });
  }
  const refuse = (): never => {
    throw unavailable('this deployment does not store personal data');
  };
  return { seal: refuse, open: refuse, blindIndex: refuse };
}
