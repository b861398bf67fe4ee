import type { Database } from '../../persistence/database';
import type { Sealer } from '../../persistence/personal-data';
import { openResponse } from './response-sealer';
import type { CustomerId } from '../principal';

const PAGE = 500;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

interface Row {
  readonly key: string;
  readonly answer: Uint8Array;
}

/**
 * Deletes the stored responses of a customer's idempotency keys that contain one of the UUIDs; a repeated call then runs
 * again. A response whose sealing key was removed stays until it expires.
 */
export async function deleteResponsesNaming(
  database: Pick<Database, 'idempotentCall' | '$queryRaw'>,
  sealer: Sealer,
  { customerId, ids }: { readonly customerId: CustomerId; readonly ids: ReadonlySet<string> },
): Promise<void> {
  const mentionsId = ({ key, answer }: Row): boolean => {
    const text = openBody(sealer, { customerId, key }, answer);
    return text.match(UUID)?.some((id) => ids.has(id)) === true;
  };
  for (let last = ''; ;) {
    const rows = await database.$queryRaw<Row[]>`
      SELECT "key", "answer" FROM "IdempotentCall"
       WHERE "customerId" = ${customerId}::uuid AND "key" > ${last} AND "answer" IS NOT NULL
       ORDER BY "key" LIMIT ${PAGE}`;
    const key = { in: rows.filter(mentionsId).map((row) => row.key) };
    if (key.in.length > 0) await database.idempotentCall.deleteMany({ where: { customerId, key } });
    if (rows.length < PAGE) return;
    last = rows.at(-1)?.key ?? '';
  }
}

function openBody(sealer: Sealer, row: { customerId: CustomerId; key: string }, answer: Uint8Array): string {
  try {
    return openResponse(sealer, row, answer).body;
  } catch {
    return '';
  }
}
