import type { Transaction } from '../persistence/database';
import type { Sealer } from '../persistence/personal-data';
import { openAnswer } from './answer-sealer';
import type { CustomerId } from './principal';

const PAGE = 500;

export interface AnswersAbout {
  readonly customerId: CustomerId;
  /** Ids of which an answer names one. */
  readonly ids: readonly string[];
}

interface Row {
  readonly key: string;
  readonly answer: Uint8Array;
}

/**
 * Deletes the answers that are kept for a customer's idempotency keys and name one of the ids; a repeated call runs again
 * then. An answer that nobody can open any more is left to expire.
 */
export async function forgetAnswers(tx: Transaction, sealer: Sealer, about: AnswersAbout): Promise<void> {
  const { customerId, ids } = about;
  const names = ({ key, answer }: Row): boolean => {
    const text = opened(sealer, { customerId, key }, answer);
    return ids.some((id) => text.includes(id));
  };
  for (let last = ''; ;) {
    const rows = await tx.$queryRaw<Row[]>`
      SELECT "key", "answer" FROM "IdempotentCall"
       WHERE "customerId" = ${customerId}::uuid AND "key" > ${last} AND "answer" IS NOT NULL
       ORDER BY "key" LIMIT ${PAGE}`;
    const key = { in: rows.filter(names).map((row) => row.key) };
    if (key.in.length > 0) await tx.idempotentCall.deleteMany({ where: { customerId, key } });
    if (rows.length < PAGE) return;
    last = rows.at(-1)?.key ?? '';
  }
}

function opened(sealer: Sealer, row: { customerId: CustomerId; key: string }, answer: Uint8Array): string {
  try {
    return openAnswer(sealer, row, answer).body;
  } catch {
    return '';
  }
}
