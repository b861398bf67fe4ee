import { hkdfSync } from 'node:crypto';
import { z } from 'zod';
import type { Config } from '../../config/config';
import { createSealer, type Sealer } from '../../persistence/personal-data';

/** Above every version that can be configured. */
const VERSION_OF_PEPPER = 0xffff_ffff;

/**
 * Seals what calls were answered, with the keys of personal data. A deployment that has none keeps nobody's data, and seals
 * under a key that follows from its pepper; what it sealed opens also when it has been given keys since.
 */
export function createResponseSealer(config: Pick<Config, 'API_KEY_PEPPER' | 'PERSONAL_DATA_KEYS'>): Sealer {
  const pepper = Buffer.from(config.API_KEY_PEPPER, 'hex');
  const key = Buffer.from(hkdfSync('sha256', pepper, '', 'answers of idempotent calls', 32));
  return createSealer([...(config.PERSONAL_DATA_KEYS ?? []), { version: VERSION_OF_PEPPER, key }]);
}

interface AnswerKey {
  readonly customerId: string;
  /** The `Idempotency-Key`. */
  readonly key: string;
}

/** Names the row: what is sealed for one key of a customer does not open as the answer to another. */
export const responseContext = ({ customerId, key }: AnswerKey): string => `IdempotentCall:${customerId}:${key}`;

const answerSchema = z.object({ headers: z.record(z.string(), z.string()), body: z.string() });

/** @throws InvariantError as the sealer does */
export const openResponse = (sealer: Sealer, row: AnswerKey, answer: Uint8Array): z.infer<typeof answerSchema> =>
  answerSchema.parse(sealer.open(answer, responseContext(row)));
