import type { Database, Transaction } from './database';
import { uuidV7 } from './uuid-v7';

/** An account that the service sends from. */
export interface SendingAccount {
  readonly chainId: number;
  readonly sender: string;
}

/** What a transaction is for: an action, and one purpose of it. */
export interface SendingPurpose extends SendingAccount {
  readonly customerId: string;
  readonly actionId: string;
  readonly purpose: string;
}

export interface SignedTransaction {
  readonly txHash: string;
  /** In hexadecimal. */
  readonly raw: string;
}

/** A transaction as it was written down. */
export interface WrittenTransaction extends SignedTransaction {
  readonly id: string;
  /** Those that it took the place of, in hexadecimal, the newest first: any of them may be mined instead. */
  readonly replaced: readonly string[];
  readonly nonce: bigint;
  /** Milliseconds since it was signed, by the clock of the database. */
  readonly ageMs: number;
  /** True once its nonce was seen to be used up. */
  readonly mined: boolean;
}

/** Where the transactions that the service sends are written down before they leave. */
export interface ServiceTransactionStore {
  /** Those for one purpose, in the order of their nonces. */
  attempts(purpose: SendingPurpose): Promise<readonly WrittenTransaction[]>;
  /** Those of an account from a nonce on, in order. */
  from(account: SendingAccount, nonce: bigint): Promise<readonly WrittenTransaction[]>;
  /**
   * Takes the lowest nonce from `from` on that is free, signs with it and writes down the result, while nobody else takes
   * one. When there are more attempts by now than the `known` ones, the newest of them is the answer and nothing is signed.
   */
  allocate(
    purpose: SendingPurpose & { readonly from: bigint; readonly known: number },
    sign: (nonce: bigint) => Promise<SignedTransaction>,
  ): Promise<WrittenTransaction>;
  /** Puts another transaction into the place of one. False when somebody else did. */
  replace(replaced: WrittenTransaction, replacement: SignedTransaction): Promise<boolean>;
  /** Notes that the nonce of a transaction is used up. */
  markMined(id: string): Promise<void>;
}

/** An account's transactions that are read at once: as many as may wait behind one that is stuck. */
const MOST_ROWS = 100;

export function createServiceTransactionStore(database: Database): ServiceTransactionStore {
  return {
    attempts: (purpose) => attemptsOf(database, purpose),
    async from({ chainId, sender }, nonce) {
      const rows = await database.$queryRaw<Row[]>`
        SELECT id, nonce, "txHash", raw, "minedAt" IS NOT NULL AS mined,
               (extract(epoch FROM now() - "createdAt") * 1000)::float AS "ageMs"
          FROM "ServiceTransaction" WHERE "chainId" = ${chainId} AND sender = ${sender} AND nonce >= ${nonce}
         ORDER BY nonce LIMIT ${MOST_ROWS}`;
      return rows.map(written);
    },
    allocate: (purpose, sign) => database.$transaction((tx) => allocate(tx, purpose, sign)),
    async replace({ id, txHash }, replacement) {
      const replaced = await database.$executeRaw`
        UPDATE "ServiceTransaction"
           SET "txHash" = ${replacement.txHash}, raw = ${replacement.raw} || ${SEPARATOR} || raw, "createdAt" = now()
         WHERE id = ${id}::uuid AND "txHash" = ${txHash}`;
      return replaced === 1;
    },
    async markMined(id) {
      await database.$executeRaw`
        UPDATE "ServiceTransaction" SET "minedAt" = now() WHERE id = ${id}::uuid AND "minedAt" IS NULL`;
    },
  };
}

/** Stands between a transaction and those that it took the place of. */
const SEPARATOR = ' ';

type Row = Omit<WrittenTransaction, 'replaced'>;

function written({ raw: all, ...row }: Row): WrittenTransaction {
  const [raw = '', ...replaced] = all.split(SEPARATOR);
  return { ...row, raw, replaced };
}

async function attemptsOf(
  database: Pick<Transaction, '$queryRaw'>,
  { actionId, purpose, chainId, sender }: SendingPurpose,
): Promise<WrittenTransaction[]> {
  const rows = await database.$queryRaw<Row[]>`
    SELECT id, nonce, "txHash", raw, "minedAt" IS NOT NULL AS mined,
           (extract(epoch FROM now() - "createdAt") * 1000)::float AS "ageMs"
      FROM "ServiceTransaction"
     WHERE "actionId" = ${actionId}::uuid AND purpose = ${purpose} AND "chainId" = ${chainId} AND sender = ${sender}
     ORDER BY nonce`;
  return rows.map(written);
}

async function allocate(
  tx: Transaction,
  purpose: SendingPurpose & { readonly from: bigint; readonly known: number },
  sign: (nonce: bigint) => Promise<SignedTransaction>,
): Promise<WrittenTransaction> {
  const { customerId, actionId, chainId, sender, from, known } = purpose;
  await tx.$queryRaw`
    SELECT 1 FROM pg_advisory_xact_lock(hashtextextended(${`service transactions ${String(chainId)} ${sender}`}, 0))`;
  const attempts = await attemptsOf(tx, purpose);
  const newest = attempts.at(-1);
  if (newest !== undefined && attempts.length > known) return newest;
  const nonce = await lowestFree(tx, { chainId, sender }, from);
  const signed = await sign(nonce);
  const id = uuidV7();
  await tx.serviceTransaction.create({
    data: { id, customerId, actionId, purpose: purpose.purpose, chainId, sender, nonce, ...signed },
  });
  return { id, nonce, ...signed, replaced: [], ageMs: 0, mined: false };
}

/** A nonce that was left out, as when a chain started over, is taken first: nothing behind a gap would ever be mined. */
async function lowestFree(tx: Transaction, { chainId, sender }: SendingAccount, from: bigint): Promise<bigint> {
  const taken = await tx.$queryRaw<{ nonce: bigint }[]>`
    SELECT nonce FROM "ServiceTransaction"
     WHERE "chainId" = ${chainId} AND sender = ${sender} AND nonce >= ${from} ORDER BY nonce`;
  let free = from;
  for (const { nonce } of taken) {
    if (nonce > free) break;
    free = nonce + 1n;
  }
  return free;
}
