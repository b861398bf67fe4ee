import { z } from 'zod';
import type { Config } from '../../config/config';
import { createDerivedSealer } from '../../persistence/derived-sealer';
import type { Sealer } from '../../persistence/personal-data';

/** Seals stored responses. */
export const createResponseSealer = (config: Pick<Config, 'API_KEY_PEPPER' | 'PERSONAL_DATA_KEYS'>): Sealer =>
  createDerivedSealer(config, 'answers of idempotent calls');

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
