import type { Pool } from 'pg';

/** Rows per table that the planner plans for. */
export const PLANNED_ROWS = 2_000_000;
/** Rows that each table really has: enough for the statistics of its columns. */
export const ROWS_PER_TABLE = 20_000;

export const CUSTOMER = '00000000-0000-4000-8000-000000000001';
/** A wallet of `CUSTOMER` that sends a tenth of all actions, and receives another tenth. */
export const BUSY_WALLET = '0x00000000000000000000000000000000000B0551';
export const QUIET_WALLET = walletOf(77);
export const PROVIDER = 'bridge';
/** Chains of the actions: the first for origins, the second for destinations. */
export const [CHAIN_IN, CHAIN_OUT] = [31337, 31338];

/** The id of the action, quote or profile with a number, as the statements below number them. */
export const idOf = (number: number): string => `0197a3c0-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;

function walletOf(number: number): string {
  return `0x${number.toString(16).padStart(40, '0')}`;
}

const ID = `('0197a3c0-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`;
const CUSTOMER_OF = `('00000000-0000-4000-8000-' || lpad(to_hex(1 + n % 20), 12, '0'))::uuid`;
const WALLET = `CASE WHEN n % 10 = 0 THEN '${BUSY_WALLET}' ELSE '0x' || lpad(to_hex(n % 4000), 40, '0') END`;
/** One action in a hundred is open; nine in a hundred have failed. */
const STATUS = `(CASE WHEN n % 200 = 0 THEN 'INITIAL' WHEN n % 200 = 1 THEN 'PENDING' WHEN n % 11 = 2 THEN 'FAILED'
                      ELSE 'SUCCESS' END)::"ActionStatus"`;
const OPEN = `n % 200 < 2`;
/** A quarter of the failed actions is still watched, although the watch should have ended. */
const LATE = `(n % 44 = 2 AND n % 200 > 1)`;
const AT = `now() - n * interval '30 seconds'`;
const HASH = `sha256(n::text::bytea)`;
const TX_HASH = `'0x' || encode(${HASH}, 'hex')`;
const TOKEN = `jsonb_build_object('address', '0x' || lpad(to_hex(n % 50), 40, '0'), 'symbol', 'T', 'name', 'T',
                                 'decimals', 6, 'chainId', ${CHAIN_IN})`;

/** Columns and their values for the row number `n`. */
export type Values = Readonly<Record<string, string>>;

const AMOUNTS = { amountIn: '1', minAmountOut: '1', chainIdIn: `${CHAIN_IN}`, chainIdOut: `${CHAIN_OUT}` };

export const ROWS: readonly { readonly table: string; readonly values: Values }[] = [
  {
    table: 'Quote',
    values: {
      ...AMOUNTS,
      id: ID,
      customerId: CUSTOMER_OF,
      provider: `'${PROVIDER}'`,
      tokenIn: `'in'`,
      tokenOut: `'out'`,
      maxAmountIn: '1',
      expectedAmountOut: '1',
      request: `'{}'`,
      view: `'{}'`,
      execution: `'{}'`,
      deadline: AT,
      createdAt: AT,
    },
  },
  {
    table: 'Action',
    values: {
      ...AMOUNTS,
      id: ID,
      customerId: `CASE WHEN n % 5 = 0 THEN '${CUSTOMER}' ELSE ${CUSTOMER_OF} END`,
      quoteId: ID,
      isDraft: `n % 400 = 0 OR n % 33 = 2`,
      type: `'CROSSCHAIN_SWAP'`,
      status: STATUS,
      substatus: `CASE WHEN n % 200 = 0 THEN 'WAITING_ORIGIN' END`,
      originAddress: WALLET,
      receiverAddress: `CASE WHEN n % 5 = 0 THEN '${BUSY_WALLET}' ELSE ${WALLET} END`,
      tokenIn: TOKEN,
      tokenOut: TOKEN,
      amountOut: '1',
      fees: `'{"total":"0","currency":"USD","breakdown":[]}'`,
      createdAt: AT,
      updatedAt: AT,
      finishedAt: `CASE WHEN NOT (${OPEN}) THEN ${AT} END`,
      expiresAt: `${AT} + interval '1 day'`,
    },
  },
  {
    table: 'ActionStep',
    values: {
      actionId: ID,
      stepIndex: '0',
      customerId: CUSTOMER_OF,
      kind: `'BRIDGE'`,
      operator: `'USER'`,
      chainId: `${CHAIN_IN}`,
      status: `(CASE n % 200 WHEN 0 THEN 'PENDING' WHEN 1 THEN 'SUBMITTED' ELSE 'CONFIRMED' END)::"StepStatus"`,
      txHash: `CASE WHEN n % 200 > 0 THEN ${TX_HASH} END`,
      blockNumber: `CASE WHEN n % 200 > 0 THEN n END`,
      blockHash: `CASE WHEN n % 200 > 0 THEN ${TX_HASH} END`,
      updatedAt: AT,
    },
  },
  {
    table: 'ActionEvent',
    values: {
      actionId: ID,
      customerId: CUSTOMER_OF,
      toStatus: STATUS,
      createdAt: AT,
    },
  },
  {
    table: 'ActionCall',
    values: {
      id: ID,
      actionId: ID,
      customerId: CUSTOMER_OF,
      stepIndex: '0',
      kind: `'BRIDGE'`,
      form: `CASE WHEN n % 7 = 0 THEN 'REFERENCE' ELSE 'CALL' END`,
      // The tracker of the other chain has only late work.
      chainId: `CASE WHEN ${LATE} THEN ${CHAIN_OUT} ELSE ${CHAIN_IN} END`,
      sender: `lower(${WALLET})`,
      target: `'0x' || lpad(to_hex(n % 5), 40, '0')`,
      dataHash: HASH,
      value: '0',
      open: `${OPEN} OR ${LATE}`,
      watchedUntil: `CASE WHEN ${LATE} THEN ${AT} END`,
      nextSearchAt: `CASE WHEN ${LATE} AND n % 7 = 0 THEN ${AT} END`,
      createdAt: AT,
    },
  },
  {
    table: 'Delivery',
    values: {
      actionId: ID,
      customerId: CUSTOMER_OF,
      provider: `CASE WHEN n % 3 = 0 THEN '${PROVIDER}' ELSE 'provider-' || n % 3 END`,
      phase: `(CASE n % 200 WHEN 0 THEN 'AWAITING_ORIGIN' WHEN 1 THEN 'ACTIVE' ELSE 'ENDED' END)::"DeliveryPhase"`,
      nextPollAt: `CASE WHEN n % 200 = 1 THEN ${AT} END`,
      updatedAt: AT,
    },
  },
  {
    table: 'RampTicket',
    values: {
      actionId: ID,
      customerId: CUSTOMER_OF,
      profileId: `('0197a3c0-0000-7000-8000-' || lpad(to_hex(n % 9000), 12, '0'))::uuid`,
      provider: `CASE WHEN n % 2 = 0 THEN 'primary' ELSE 'secondary' END`,
      accountId: `'account-' || n % 9000`,
      ticketId: `'ticket-' || n`,
      request: HASH,
      createdAt: AT,
      updatedAt: AT,
    },
  },
  {
    table: 'RampCallback',
    values: { provider: `'primary'`, eventId: `'event-' || n`, receivedAt: AT },
  },
  {
    table: 'IdempotentCall',
    values: {
      customerId: CUSTOMER_OF,
      key: `'key-' || n`,
      requestHash: HASH,
      createdAt: AT,
      lockedUntil: AT,
    },
  },
  {
    table: 'rate_limit',
    values: { key: `'key-' || n`, expire: `(extract(epoch FROM now()) * 1000 - n * 1000)::bigint` },
  },
  {
    table: 'KycProfile',
    values: {
      id: ID,
      customerId: CUSTOMER_OF,
      externalUserId: `'user-' || n`,
      taxIdIndex: HASH,
      emailIndex: HASH,
      person: HASH,
      updatedAt: AT,
    },
  },
  {
    table: 'KycWallet',
    values: { customerId: CUSTOMER_OF, address: `'0x' || lpad(to_hex(n), 40, '0')`, profileId: ID, number: 'n' },
  },
  {
    table: 'RampAccount',
    values: {
      profileId: ID,
      provider: `CASE WHEN n % 2 = 0 THEN 'primary' ELSE 'secondary' END`,
      customerId: CUSTOMER_OF,
      accountId: `'account-' || n`,
      attemptId: `'attempt-' || n`,
      status: `(CASE WHEN n % 200 = 0 THEN 'provider_pending' WHEN n % 200 = 1 THEN 'created'
                     ELSE 'approved' END)::"KycStatus"`,
      updatedAt: AT,
    },
  },
  {
    table: 'CustomerWallet',
    values: { customerId: CUSTOMER_OF, address: `'0x' || lpad(to_hex(n), 40, '0')`, createdAt: AT },
  },
  {
    table: 'PinnedToken',
    values: { customerId: CUSTOMER_OF, wallet: `'0x' || n`, chainId: `${CHAIN_IN}`, token: `'t' || n` },
  },
  {
    table: 'ServiceTransaction',
    values: {
      id: ID,
      customerId: CUSTOMER_OF,
      actionId: ID,
      purpose: `'completion'`,
      chainId: `${CHAIN_OUT}`,
      sender: `'0x' || lpad(to_hex(n % 2), 40, '0')`,
      nonce: 'n',
      txHash: TX_HASH,
      raw: TX_HASH,
    },
  },
  {
    table: 'GasSpending',
    values: {
      id: ID,
      customerId: CUSTOMER_OF,
      actionId: ID,
      chainId: `${CHAIN_IN}`,
      kind: `CASE WHEN n % 2 = 0 THEN 'sponsored' ELSE 'completion' END`,
      wei: '1',
      costUsd: '0.01',
      sender: `CASE WHEN n % 2 = 0 THEN '0x' || lpad(to_hex(n), 40, '0') END`,
      nonceKey: 'CASE WHEN n % 2 = 0 THEN n END',
      validUntil: `CASE WHEN n % 2 = 0 THEN ${AT} END`,
      spentAt: `CASE WHEN n % 100 > 0 THEN ${AT} END`,
      createdAt: AT,
    },
  },
];

/** Statements that fill the tables that a trigger writes, which is off while the rows above are inserted. */
const DERIVED: readonly { readonly table: string; readonly insert: string }[] = [
  {
    table: 'ActionParty',
    insert: `
      INSERT INTO "ActionParty" ("actionId", wallet, "customerId", status, type, "isDraft", "createdAt", "updatedAt", "finishedAt")
      SELECT id, wallet, "customerId", status::text, type, "isDraft", "createdAt", "updatedAt", "finishedAt"
        FROM "Action" CROSS JOIN LATERAL unnest("actionSides"("originAddress", "receiverAddress")) AS wallet`,
  },
  {
    table: 'ActionCount',
    insert: `
      INSERT INTO "ActionCount" ("customerId", wallet, "isDraft", status, type, "isFinished", count)
      SELECT "customerId", wallet, "isDraft", status, type, "finishedAt" IS NOT NULL, count(*)
        FROM "ActionParty" GROUP BY 1, 2, 3, 4, 5, 6`,
  },
];

export const GROWN_TABLES: ReadonlySet<string> = new Set([...ROWS, ...DERIVED].map(({ table }) => table));

/**
 * Fills the tables that grow with the traffic, and makes the planner plan for `PLANNED_ROWS` in each.
 *
 * The tables really have `ROWS_PER_TABLE` rows: their number is written into the planner's statistics, which takes the
 * distribution of the values from the rows that exist. A sequential scan seems cheaper to the planner than it would be,
 * because it reads the true size of the files, so that a plan with an index here is one on a full table as well.
 */
export async function growDatabase(pool: Pick<Pool, 'connect'>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`SET session_replication_role = replica`); // no checks of foreign keys
    await client.query(`SET synchronous_commit = off`);
    const inserts = ROWS.map(({ table, values }) => ({
      table,
      insert: insertOf({ table, values }, { first: 1, last: ROWS_PER_TABLE }),
    }));
    for (const { table, insert } of [...inserts, ...DERIVED]) {
      await client.query(`ALTER TABLE "${table}" SET (autovacuum_enabled = off)`);
      await client.query(insert);
      await client.query(`ANALYZE "${table}"`);
      await client.query(`UPDATE pg_class SET reltuples = ${PLANNED_ROWS} WHERE oid = '"${table}"'::regclass`);
    }
  } finally {
    client.release(true); // with its settings
  }
}

/** A statement that inserts rows with these numbers. */
export const insertOf = (
  { table, values }: { readonly table: string; readonly values: Values },
  { first, last }: { readonly first: number; readonly last: number },
): string => {
  const names = Object.keys(values).map((name) => `"${name}"`);
  return `INSERT INTO "${table}" (${names.join(', ')})
          SELECT ${Object.values(values).join(', ')} FROM generate_series(${first}, ${last}) AS n`;
};
