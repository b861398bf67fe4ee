import { hkdfSync } from 'node:crypto';
import { z } from 'zod';
import type { Config } from '../../config/config';
import { createSealer, type Sealer } from '../../persistence/personal-data';

/** Above all versions that can be configured. */
const PEPPER_KEY_VERSION = 0xffff_ffff;

/**
 * Seals stored responses with the keys of personal data. A deployment without these keys uses a key derived from its pepper;
 * responses sealed with it can still be opened after keys are configured.
 */
export function createResponseSealer(config: Pick<Config, 'API_KEY_PEPPER' | 'PERSONAL_DATA_KEYS'>): Sealer {
  const pepper = Buffer.from(config.API_KEY_PEPPER, 'hex');
  const key = Buffer.from(hkdfSync('sha256', pepper, '', 'answers of idempotent calls', 32));
  return createSealer([...(config.PERSONAL_DATA_KEYS ?? []), { version: PEPPER_KEY_VERSION, key }]);
}

interface ResponseKey {
  readonly customerId: string;
  /** The `Idempotency-Key`. */
  readonly key: string;
}

/** Binds a sealed response to its row: it cannot be opened as the response for another key. */
export const responseContext = ({ customerId, key }: ResponseKey): string => `IdempotentCall:${customerId}:${key}`;

const responseSchema = z.object({ headers: z.record(z.string(), z.string()), body: z.string() });

/** @throws InvariantError when the response cannot be opened */
export const openResponse = (sealer: Sealer, row: ResponseKey, sealed: Uint8Array): z.infer<typeof responseSchema> =>
  responseSchema.parse(sealer.open(sealed, responseContext(row)));
