import type { Pool } from 'pg';
import { movementText } from './random-history';

interface Row {
  readonly height: string;
  readonly kind: string;
  readonly wallet: string;
  readonly counterparty: string;
  readonly token: string;
  readonly amount: string;
}

/** All movements in the database, in the form of `movementText`, sorted. */
export async function recordedMovements(pool: Pick<Pool, 'query'>): Promise<readonly string[]> {
  const { rows } = await pool.query<Row>(
    `SELECT entry."blockNumber"::text AS height, kind, wallet.address AS wallet, counterparty, token, amount::text AS amount
       FROM "LedgerEntry" AS entry JOIN "WatchedWallet" AS wallet ON wallet.id = entry."walletId"`,
  );
  return rows
    .map(({ height, kind, wallet, counterparty, token, amount }) =>
      movementText(height, kind, wallet, counterparty, token, amount),
    )
    .sort();
}
