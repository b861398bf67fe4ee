import type { Pool } from 'pg';
import { CHAIN_IN, CHAIN_OUT, insertOf, ROWS, ROWS_PER_TABLE, type Values } from './grown-database';

/** A call that thousands of live actions of two customers have. */
export const IDENTICAL = {
  form: 'CALL',
  sender: '0x0000000000000000000000000000000000001de1',
  target: '0x0000000000000000000000000000000000001de2',
  value: '7',
  dataHash: Buffer.alloc(32, 1),
} as const;
const IDENTICAL_CALLS = 3000;

/** The customers take turns. */
const OF_TWO = `('00000000-0000-4000-8000-' || lpad(to_hex(1 + n % 2), 12, '0'))::uuid`;

/** What differs from the other rows of each table. */
const CHANGES: Readonly<Record<string, Values>> = {
  Action: {
    customerId: OF_TWO,
    quoteId: 'NULL::uuid',
    isDraft: 'false',
    status: `'INITIAL'::"ActionStatus"`,
    substatus: `'WAITING_ORIGIN'`,
    originAddress: `'${IDENTICAL.sender}'`,
    receiverAddress: `'${IDENTICAL.target}'`,
    finishedAt: 'NULL::timestamptz',
    expiresAt: `now() + interval '1 day'`,
  },
  ActionStep: {
    customerId: OF_TWO,
    status: `'PENDING'::"StepStatus"`,
    txHash: 'NULL::text',
    blockNumber: 'NULL::bigint',
    blockHash: 'NULL::text',
  },
  ActionCall: {
    customerId: OF_TWO,
    form: `'CALL'`,
    chainId: `${CHAIN_IN}`,
    sender: `'${IDENTICAL.sender}'`,
    target: `'${IDENTICAL.target}'`,
    dataHash: `decode('${IDENTICAL.dataHash.toString('hex')}', 'hex')`,
    value: IDENTICAL.value,
    open: 'true',
    watchedUntil: 'NULL::timestamptz',
    nextSearchAt: 'NULL::timestamptz',
    minNonce: '0',
  },
};

/**
 * Adds the actions with the identical call to a grown database. The planner does not know them: they come after the last
 * ANALYZE. The chain with late work alone was not read for three days.
 */
export async function addUnknownRows(pool: Pick<Pool, 'connect'>): Promise<void> {
  const range = { first: ROWS_PER_TABLE + 1, last: ROWS_PER_TABLE + IDENTICAL_CALLS };
  const client = await pool.connect();
  try {
    for (const { table, values } of ROWS) {
      const changes = CHANGES[table];
      if (changes !== undefined) await client.query(insertOf({ table, values: { ...values, ...changes } }, range));
    }
    // The changes of the counters of two wallets. PostgreSQL analyses them by itself, sooner or later: here it is now, and
    // not between two plans that are compared.
    await client.query('ALTER TABLE "ActionCountChange" SET (autovacuum_enabled = off)');
    await client.query('ANALYZE "ActionCountChange"');
    await client.query(
      `INSERT INTO "ChainTracker" ("chainId", "leaseOwner", "leaseUntil", "caughtUpAt")
       VALUES (${CHAIN_OUT}, gen_random_uuid(), now(), now() - interval '3 days')`,
    );
  } finally {
    client.release(true); // the statements of its connection are not recorded
  }
}
