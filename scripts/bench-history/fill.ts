import { Client } from 'pg';

export const CUSTOMER = '00000000-0000-4000-8000-000000000001';

/** A wallet and the number of actions that it has. */
export interface BenchWallet {
  readonly address: string;
  readonly actions: number;
}

export const SMALL = {
  address: '0x0000000000000000000000000000000000010000',
  actions: 10_000,
} as const satisfies BenchWallet;
export const LARGE = {
  address: '0x0000000000000000000000000000000001000000',
  actions: 1_000_000,
} as const satisfies BenchWallet;
const OTHER = '0x00000000000000000000000000000000000000Fe';

/** Whose histories are filled. */
export interface FilledHistories {
  readonly customer: string;
  readonly wallets: readonly BenchWallet[];
}

interface HistoryPart {
  readonly customer: string;
  readonly wallet: BenchWallet;
  /** Number of the actions before. */
  readonly from: number;
}

/** A type that only the oldest hundredth of a history has: a list of it, newest first, finds nothing near the start. */
export const OLD_TYPE = 'ON_RAMP_FIAT';
/** Shares in a history: 5 of 6 kinds of status by number, three types, drafts among the open and failed ones. */
const STATUS = `(CASE WHEN n % 100 < 80 THEN 'SUCCESS' WHEN n % 100 < 90 THEN 'FAILED' WHEN n % 100 < 93 THEN 'REFUNDED'
                      WHEN n % 100 < 95 THEN 'PENDING' ELSE 'INITIAL' END)`;
const IS_DRAFT = `n % 100 IN (88, 89, 98, 99)`;
const TOKEN = `'{"chainId":8453,"address":"0x0000000000000000000000000000000000000001","symbol":"T","name":"T","decimals":6}'`;

/**
 * Fills the wallets: rows as the service writes them, in bulk and without the triggers, which are measured apart. The parties
 * and counters follow from the actions.
 */
export async function fill(
  url: string,
  { customer = CUSTOMER, wallets = [SMALL, LARGE] }: Partial<FilledHistories> = {},
): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('SET session_replication_role = replica; SET synchronous_commit = off');
    let from = 0;
    for (const wallet of wallets) {
      await insertActions(client, { customer, wallet, from });
      from += wallet.actions;
    }
    await insertParties(client);
    await client.query('ANALYZE');
    // Index-only scans need the visibility map, which autovacuum keeps in a deployment.
    for (const table of ['"ActionParty"', '"Action"', '"ActionStep"']) await client.query(`VACUUM ${table}`);
    await client.query('CHECKPOINT');
  } finally {
    await client.end();
  }
}

async function insertActions(client: Client, { customer, wallet, from }: HistoryPart): Promise<void> {
  const { address, actions } = wallet;
  const at = (seconds: string): string => `timestamptz '2026-01-01' + (${seconds}) * interval '1 second'`;
  await client.query(`
    INSERT INTO "Action" (id, "customerId", type, status, "isDraft", "originAddress", "receiverAddress", "chainIdIn",
                          "chainIdOut", "tokenIn", "tokenOut", "amountIn", "amountOut", "minAmountOut", fees, "createdAt",
                          "updatedAt", "finishedAt", "expiresAt")
    SELECT ('0197a3c0-0000-7000-8000-' || lpad(to_hex(${String(from)} + n), 12, '0'))::uuid, '${customer}',
           CASE WHEN n <= ${String(actions / 100)} THEN '${OLD_TYPE}' WHEN n % 3 = 0 THEN 'TRANSFER_OUT'
                WHEN n % 7 = 0 THEN 'CROSSCHAIN_SWAP' ELSE 'SAMECHAIN_SWAP' END,
           ${STATUS}::"ActionStatus", ${IS_DRAFT},
           CASE WHEN n % 10 = 1 THEN '${OTHER}' ELSE '${address}' END, CASE WHEN n % 10 = 2 THEN '${OTHER}' ELSE '${address}' END,
           8453, 8453, ${TOKEN}, ${TOKEN}, 1000000, 1000000, 990000, '{"total":"0","currency":"USD","breakdown":[]}',
           ${at('n')}, ${at(`n + (n::bigint * 7919) % 5000`)}, CASE WHEN n % 100 < 93 OR n % 100 IN (88, 89) THEN ${at(`n + (n::bigint * 104729) % 9000`)} END,
           ${at('n + 3600')}
      FROM generate_series(1, ${String(actions)}) AS n`);
  await client.query(`
    INSERT INTO "ActionStep" ("actionId", "stepIndex", "customerId", kind, operator, "chainId", status, "txHash")
    SELECT id, 0, "customerId", 'SWAP', 'USER', 8453, 'CONFIRMED', '0x' || encode(sha256(id::text::bytea), 'hex')
      FROM "Action" WHERE '${address}' IN ("originAddress", "receiverAddress")`);
}

/** Indexes are built after the rows, which is faster. */
async function insertParties(client: Client): Promise<void> {
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `SELECT quote_ident(indexname) AS name, indexdef AS definition FROM pg_indexes
      WHERE tablename = 'ActionParty' AND indexname <> 'ActionParty_pkey'`,
  );
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
  await client.query(`
    INSERT INTO "ActionParty" ("actionId", wallet, "customerId", status, type, "isDraft", "createdAt", "updatedAt", "finishedAt")
    SELECT id, wallet, "customerId", status::text, type, "isDraft", "createdAt", "updatedAt", "finishedAt"
      FROM "Action" CROSS JOIN LATERAL unnest("actionSides"("originAddress", "receiverAddress")) AS wallet`);
  for (const { definition } of indexes) await client.query(definition);
  await client.query(`
    INSERT INTO "ActionCount" ("customerId", wallet, "isDraft", status, type, "isFinished", count)
    SELECT "customerId", wallet, "isDraft", status, type, "finishedAt" IS NOT NULL, count(*)
      FROM "ActionParty" GROUP BY 1, 2, 3, 4, 5, 6`);
}
