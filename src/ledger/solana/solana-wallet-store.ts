import type { Database, Transaction } from '../../persistence/database';
import type { SeenSignature } from '../../rpc/solana/solana-rpc';
import { MAX_ENTRIES_PER_DAY } from '../record-movements';
import type { SolanaEntry } from './movements-of-transaction';
import type { AccountScan } from './scan-account';
import { LIMITS } from './solana-ledger-deps';

/** A wallet that is due to be read. */
export interface DueWallet {
  readonly id: bigint;
  readonly address: string;
  readonly quietReadings: number;
  readonly history: 'walking' | 'proven' | 'unproven';
  readonly differences: number;
  /** 1 for the longest due wallet of a customer, 2 for its second one. */
  readonly turn: number;
}

/** Wallets that one pass reads. */
const MAX_WALLETS = 16;

/**
 * Due wallets: the longest due of each customer first, then the second of each. All of them are compared: those of one customer may
 * be more than any limit, and all be longer due than the first one of another.
 */
export const dueWallets = (database: Pick<Database, '$queryRaw'>, chainId: number): Promise<readonly DueWallet[]> =>
  database.$queryRaw<DueWallet[]>`
    WITH due AS MATERIALIZED (
      SELECT id, address, "quietReadings", history, differences, "nextAt" FROM "SolanaWallet"
       WHERE "chainId" = ${chainId} AND "nextAt" <= now() AND "suspendedAt" IS NULL
    ), turns AS (
      SELECT due.id, row_number() OVER (PARTITION BY watch."customerId" ORDER BY due."nextAt", due.id) AS turn
        FROM due JOIN "SolanaWatch" AS watch ON watch."walletId" = due.id
    )
    SELECT due.id, due.address, due."quietReadings", due.history, due.differences, first.turn::int AS turn
      FROM due JOIN (SELECT id, min(turn) AS turn FROM turns GROUP BY id) AS first USING (id)
     ORDER BY first.turn, due."nextAt", due.id LIMIT ${MAX_WALLETS}`;

/** A wallet that no customer watches any more was deleted during its reading: what is recorded of it now would never be deleted. */
export class ForgottenWalletError extends Error {
  override readonly name = 'ForgottenWalletError';
}

/** Keeps a wallet until the end of the transaction. @throws ForgottenWalletError */
export async function keepWallet(tx: Pick<Transaction, '$queryRaw'>, walletId: bigint): Promise<void> {
  const kept = await tx.$queryRaw<unknown[]>`SELECT 1 FROM "SolanaWallet" WHERE id = ${walletId} FOR KEY SHARE`;
  if (kept.length === 0) throw new ForgottenWalletError('no customer watches the wallet any more');
}

/** The accounts of a wallet. */
export const readAccounts = (
  database: Pick<Database, 'solanaAccount'>,
  walletId: bigint,
): Promise<readonly AccountScan[]> =>
  database.solanaAccount.findMany({ where: { walletId }, omit: { walletId: true }, orderBy: { address: 'asc' } });

/**
 * Adds accounts of a wallet, up to the limit. Returns how many more there are; at least 1 when the limit is reached, since accounts
 * that were left out earlier, and are closed now, are in no list any more.
 */
export async function addAccounts(tx: Transaction, walletId: bigint, addresses: readonly string[]): Promise<number> {
  const known = new Set((await readAccounts(tx, walletId)).map(({ address }) => address));
  const added = [...new Set(addresses)].filter((address) => !known.has(address));
  const kept = added.slice(0, Math.max(0, LIMITS.accounts - known.size));
  await tx.solanaAccount.createMany({ data: kept.map((address) => ({ walletId, address })), skipDuplicates: true });
  const isFull = known.size + kept.length >= LIMITS.accounts;
  return isFull ? Math.max(1, added.length - kept.length) : 0;
}

/** Stores the place of an account and the transactions that were found, together. */
export async function storeScan(
  tx: Transaction,
  walletId: bigint,
  { scan: { address, ...place }, found }: { readonly scan: AccountScan; readonly found: readonly SeenSignature[] },
): Promise<void> {
  await tx.solanaSignature.createMany({
    data: found.map(({ signature, slot }) => ({ walletId, signature, slot: BigInt(slot) })),
    skipDuplicates: true,
  });
  await tx.solanaAccount.updateMany({ where: { walletId, address }, data: place });
}

interface WaitingSignature {
  readonly signature: string;
  readonly attempts: number;
}

/** Transactions of a wallet that are due to be read, the earliest first. */
export const dueSignatures = (
  database: Pick<Database, '$queryRaw'>,
  walletId: bigint,
): Promise<readonly WaitingSignature[]> =>
  database.$queryRaw<WaitingSignature[]>`
    SELECT signature, attempts FROM "SolanaSignature" WHERE "walletId" = ${walletId} AND "nextAt" <= now()
     ORDER BY attempts, slot, signature LIMIT ${LIMITS.transactions}`;

/** A transaction with its movements. */
export interface ReadTransaction {
  readonly signature: string;
  readonly slot: number;
  readonly blockTime: number;
  readonly entries: readonly SolanaEntry[];
}

/** Records the movements of transactions, once, and that they are read. Returns how many movements are new. */
export async function recordSolanaTransactions(
  tx: Transaction,
  walletId: bigint,
  transactions: readonly ReadTransaction[],
): Promise<number> {
  const rows = transactions.flatMap(({ signature, slot, blockTime, entries }) =>
    entries.map((entry) => ({
      walletId,
      signature,
      slot: BigInt(slot),
      blockTime: new Date(blockTime * 1000),
      position: entry.position,
      token: entry.token,
      kind: entry.kind,
      amount: entry.amount.toString(),
      counterparty: entry.counterparty,
    })),
  );
  const { count } = await tx.solanaMovement.createMany({ data: rows, skipDuplicates: true });
  const read = transactions.map(({ signature }) => signature);
  await tx.solanaSignature.deleteMany({ where: { walletId, signature: { in: read } } });
  if (count > 0) await countMovements(tx, walletId, count);
  return count;
}

/** A wallet with too many movements on one day is suspended, as those of EVM chains are. */
const countMovements = (tx: Transaction, walletId: bigint, count: number): Promise<number> =>
  tx.$executeRaw`
    UPDATE "SolanaWallet" AS wallet
       SET "countedOn" = today.day, "entriesOfDay" = today.total,
           "suspendedAt" = CASE WHEN today.total > ${MAX_ENTRIES_PER_DAY} THEN now() END
      FROM (SELECT known.id, clock.day,
                   ${count}::int + CASE WHEN known."countedOn" = clock.day THEN known."entriesOfDay" ELSE 0 END AS total
              FROM "SolanaWallet" AS known
             CROSS JOIN (SELECT (now() AT TIME ZONE 'UTC')::date AS day) AS clock
             WHERE known.id = ${walletId}) AS today
     WHERE wallet.id = today.id`;

/** Longest pause before a transaction that could not be read is requested again. */
const MAX_PAUSE_SECONDS = 3600;

/** Sets a transaction aside that could not be read: twice as long after each attempt. */
export const postponeSignature = (
  tx: Transaction,
  walletId: bigint,
  { signature, reason }: { readonly signature: string; readonly reason: string },
): Promise<number> =>
  tx.$executeRaw`
    UPDATE "SolanaSignature"
       SET attempts = attempts + 1, reason = ${reason.slice(0, 300)},
           "nextAt" = now() + make_interval(secs => least(${MAX_PAUSE_SECONDS}::int, 5 * 2 ^ least(attempts, 20)))
     WHERE "walletId" = ${walletId} AND signature = ${signature}`;

/** Transactions of a wallet that wait, and whether its history is cut. */
export interface WaitingCounts {
  readonly waiting: number;
  /** Of them, those that could not be read. */
  readonly unreadable: number;
  /** True when the history of an account was cut. */
  readonly isCut: boolean;
}

export async function readCounts(database: Pick<Database, '$queryRaw'>, walletId: bigint): Promise<WaitingCounts> {
  const [row] = await database.$queryRaw<[WaitingCounts]>`
    SELECT count(*)::int AS waiting, count(*) FILTER (WHERE attempts > 0)::int AS unreadable,
           EXISTS (SELECT 1 FROM "SolanaAccount" WHERE "walletId" = ${walletId} AND "oldestSlot" IS NOT NULL) AS "isCut"
      FROM "SolanaSignature" WHERE "walletId" = ${walletId}`;
  return row;
}

/** The sum of the movements of each token, without SOL. */
export async function sumsOf(
  database: Pick<Database, '$queryRaw'>,
  walletId: bigint,
  native: string,
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await database.$queryRaw<{ token: string; total: string }[]>`
    SELECT token, sum(CASE kind WHEN 'transferIn' THEN amount ELSE -amount END)::text AS total FROM "SolanaMovement"
     WHERE "walletId" = ${walletId} AND token <> ${native} GROUP BY token`;
  return new Map(rows.map(({ token, total }) => [token, BigInt(total)]));
}
