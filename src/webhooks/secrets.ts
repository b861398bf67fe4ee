import { z } from 'zod';
import { type Actor, recordAudit } from '../auth/audit-log';
import type { CustomerId } from '../auth/principal';
import { serviceError } from '../errors/service-error';
import type { Database, Transaction } from '../persistence/database';
import type { Sealer } from '../persistence/personal-data';
import { uuidV7 } from '../persistence/uuid-v7';
import { createWebhookSecret } from './signature';

/** How long a rotated secret signs beside its successor. */
const OVERLAP_HOURS = 24;

export type SecretTable = Pick<Database, 'webhookSecret'>;

/** Whose secret: of an endpoint, or of the customer, which signs for the URLs of quotes. */
export interface SecretOwner {
  readonly customerId: CustomerId;
  readonly endpointId: string | undefined;
}

export interface SecretDeps {
  readonly database: Pick<Database, '$transaction' | 'webhookSecret'>;
  readonly sealer: Sealer;
}

const secretContext = (id: string): string => `WebhookSecret:${id}`;
const sealedSchema = z.object({ secret: z.string() });

/** Stores a new secret and returns it. It cannot be read again. */
export async function addSecret(
  { tx, sealer }: { readonly tx: Pick<Transaction, 'webhookSecret'>; readonly sealer: Sealer },
  {
    customerId,
    endpointId = null,
  }: { readonly customerId: CustomerId; readonly endpointId?: string | null | undefined },
): Promise<string> {
  const [id, secret] = [uuidV7(), createWebhookSecret()];
  const sealed = sealer.seal({ secret }, secretContext(id));
  await tx.webhookSecret.create({ data: { id, customerId, endpointId, sealed } });
  return secret;
}

/**
 * Replaces a secret and returns the new one. For 24 hours the former one signs as well; earlier ones end at once. `actor`:
 * the user who requests it.
 *
 * @throws WEBHOOK_ENDPOINT_NOT_FOUND
 */
export function rotateSecret({ database, sealer }: SecretDeps, owner: SecretOwner, actor?: Actor): Promise<string> {
  const { customerId, endpointId = null } = owner;
  const target =
    endpointId === null
      ? ({ targetType: 'customer', targetId: customerId } as const)
      : ({ targetType: 'webhookEndpoint', targetId: endpointId } as const);
  return database.$transaction(async (tx) => {
    // Concurrent rotations of one owner wait here, so that each of them finds the secret of the one before.
    await tx.$queryRaw`
      SELECT 1 FROM pg_advisory_xact_lock(hashtextextended(${`webhook secret ${customerId} ${endpointId ?? ''}`}, 0))`;
    if (endpointId !== null) await lockEndpoint(tx, { customerId, endpointId });
    await tx.webhookSecret.deleteMany({ where: { customerId, endpointId, expiresAt: { not: null } } });
    await tx.$executeRaw`
      UPDATE "WebhookSecret" SET "expiresAt" = now() + make_interval(hours => ${OVERLAP_HOURS})
       WHERE "customerId" = ${customerId}::uuid AND "endpointId" IS NOT DISTINCT FROM ${endpointId}::uuid`;
    await recordAudit(tx, actor, { operation: 'rotateWebhookSecret', ...target });
    return addSecret({ tx, sealer }, owner);
  });
}

/** A deletion at the same time comes before, and then there is nothing to rotate, or it waits and removes the new secret too. */
async function lockEndpoint(
  tx: Transaction,
  { customerId, endpointId }: { readonly customerId: CustomerId; readonly endpointId: string },
): Promise<void> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM "WebhookEndpoint"
     WHERE id = ${endpointId}::uuid AND "customerId" = ${customerId}::uuid AND state <> 'DELETED' FOR SHARE`;
  if (rows.length === 0) throw serviceError('WEBHOOK_ENDPOINT_NOT_FOUND', { endpointId });
}

/**
 * The secrets that sign for an endpoint or for the URLs of a customer's quotes, the newest first. A customer without a secret
 * gets one, and can see one by a rotation. Empty for an endpoint that was deleted, and when no secret can be opened with the
 * present keys.
 */
export async function findSecrets(
  { database, sealer }: { readonly database: SecretTable; readonly sealer: Sealer },
  owner: SecretOwner,
): Promise<readonly string[]> {
  const { customerId, endpointId = null } = owner;
  const find = () =>
    database.webhookSecret.findMany({
      where: { customerId, endpointId, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] },
      orderBy: { id: 'desc' },
    });
  let rows = await find();
  if (rows.length === 0 && endpointId === null) {
    const id = uuidV7();
    const sealed = sealer.seal({ secret: createWebhookSecret() }, secretContext(id));
    await database.webhookSecret.createMany({ data: [{ id, customerId, sealed }], skipDuplicates: true });
    rows = await find();
  }
  return rows.flatMap((row) => openSecret(sealer, row));
}

function openSecret(sealer: Sealer, { id, sealed }: { readonly id: string; readonly sealed: Uint8Array }): string[] {
  try {
    return [sealedSchema.parse(sealer.open(sealed, secretContext(id))).secret];
  } catch {
    return [];
  }
}
