import type { Database } from '../../persistence/database';
import type { Sealer } from '../../persistence/personal-data';
import { openResponse } from './response-sealer';
import type { CustomerId } from '../principal';

const PAGE = 500;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

export interface AnswersAbout {
  readonly customerId: CustomerId;
  /** UUIDs of which an answer names one. */
  readonly ids: ReadonlySet<string>;
}

interface Row {
  readonly key: string;
  readonly answer: Uint8Array;
}

/**
 * Deletes the answers that are kept for a customer's idempotency keys and name one of the ids; a repeated call runs again
 * then. An answer that nobody can open any more is left to expire.
 */
export async function deleteResponsesNaming(
  database: Pick<Database, 'idempotentCall' | '$queryRaw'>,
  sealer: Sealer,
  about: AnswersAbout,
): Promise<void> {
  const { customerId, ids } = about;
  const names = ({ key, answer }: Row): boolean => {
    const text = opened(sealer, { customerId, key }, answer);
    return text.match(UUID)?.some((id) => ids.has(id)) === true;
  };
  for (let last = ''; ;) {
    const rows = await database.$queryRaw<Row[]>`
      SELECT "key", "answer" FROM "IdempotentCall"
       WHERE "customerId" = ${customerId}::uuid AND "key" > ${last} AND "answer" IS NOT NULL
       ORDER BY "key" LIMIT ${PAGE}`;
    const key = { in: rows.filter(names).map((row) => row.key) };
    if (key.in.length > 0) await database.idempotentCall.deleteMany({ where: { customerId, key } });
    if (rows.length < PAGE) return;
    last = rows.at(-1)?.key ?? '';
  }
}

function opened(sealer: Sealer, row: { customerId: CustomerId; key: string }, answer: Uint8Array): string {
  try {
    return openResponse(sealer, row, answer).body;
  } catch {
    return '';
  }
}
