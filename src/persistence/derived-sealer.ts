import { hkdfSync } from 'node:crypto';
import type { Config } from '../config/config';
import { createSealer, type Sealer } from './personal-data';

/** Above all versions that can be configured. */
const PEPPER_KEY_VERSION = 0xffff_ffff;

/**
 * Seals data of one purpose with the keys of personal data. A deployment without these keys uses a key derived from its
 * pepper; data sealed with it can still be opened after keys are configured.
 */
export function createDerivedSealer(
  config: Pick<Config, 'API_KEY_PEPPER' | 'PERSONAL_DATA_KEYS'>,
  purpose: string,
): Sealer {
  const pepper = Buffer.from(config.API_KEY_PEPPER, 'hex');
  const key = Buffer.from(hkdfSync('sha256', pepper, '', purpose, 32));
  return createSealer([...(config.PERSONAL_DATA_KEYS ?? []), { version: PEPPER_KEY_VERSION, key }]);
}

/** Seals the secrets that sign webhooks. */
export const createWebhookSealer = (config: Pick<Config, 'API_KEY_PEPPER' | 'PERSONAL_DATA_KEYS'>): Sealer =>
  createDerivedSealer(config, 'secrets of webhooks');
