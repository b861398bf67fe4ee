import { z } from 'zod';
import type { PrismaClient } from '../persistence/client/client';
import type { NewApiKey } from './api-key-summary';
import { checked } from './checked';
import { createApiKey } from './create-api-key';
import type { ApiKeyReference } from './revoke-api-key';

export interface RotationDeps {
  readonly db: Pick<PrismaClient, '$transaction'>;
  readonly pepper: string;
}

export interface Rotation extends ApiKeyReference {
  /** For how long the old key stays valid; 0 ends it at once. */
  readonly overlapSeconds: number;
  /** When the new key expires; never, unless given. */
  readonly expiresAt?: Date | null | undefined;
}

const THIRTY_DAYS = 30 * 86_400;
const overlap = z.object({ overlapSeconds: z.int().min(0).max(THIRTY_DAYS) });

/**
 * Replaces a key by a new one with the same label; the old one ends after the overlap, or earlier when it would anyway.
 * `undefined` when the customer has no such key, or it is no longer in force.
 *
 * @throws VALIDATION_ERROR
 */
export function rotateApiKey({ db, pepper }: RotationDeps, rotation: Rotation): Promise<NewApiKey | undefined> {
  const { customerId, keyId, expiresAt } = rotation;
  return db.$transaction(async (tx) => {
    const until = new Date(Date.now() + checked(overlap, rotation).overlapSeconds * 1000);
    const [old] = await tx.$queryRaw<{ label: string }[]>`
      UPDATE "ApiKey" SET "expiresAt" = LEAST("expiresAt", ${until}::timestamptz)
      WHERE "id" = ${keyId} AND "customerId" = ${customerId}::uuid
        AND "revokedAt" IS NULL AND ("expiresAt" IS NULL OR "expiresAt" > now())
      RETURNING "label"`;
    return old && createApiKey({ db: tx, pepper }, { customerId, label: old.label, expiresAt });
  });
}
