import { runForService } from './customer-scope';
import type { Database, Transaction } from './database';
import type { GasBudgets, GasCost, GasSpending } from './gas-budgets';
import { uuidV7 } from './uuid-v7';

/** An account that the service sends from. */
export interface SendingAccount {
  readonly chainId: number;
  readonly sender: string;
}

/** The purpose of a transaction within an action. */
export interface SendingPurpose extends SendingAccount {
  readonly customerId: string;
  readonly actionId: string;
  readonly purpose: string;
}

/** A transaction to allocate. */
export interface NonceAllocation extends SendingPurpose {
  /** First nonce that may be free. */
  readonly from: bigint;
  /** Number of attempts that the caller has read. */
  readonly attemptsRead: number;
  /** The maximum cost of its gas, and the budget that it counts against. */
  readonly gas: AllocatedGas;
}

type GasOf<Spending> = Spending extends GasSpending ? Pick<Spending, 'kind' | 'cost' | 'isForced'> : never;
export type AllocatedGas = GasOf<GasSpending>;

export interface SignedTransaction {
  readonly txHash: string;
  /** In hexadecimal. */
  readonly raw: string;
}

/** A stored transaction. */
export interface StoredTransaction extends SignedTransaction {
  readonly id: string;
  /** The transactions that it replaced, in hexadecimal, the newest first: any of them may be mined instead. */
  readonly replaced: readonly string[];
  readonly nonce: bigint;
  /** Milliseconds since the signature, by the database clock. */
  readonly ageMs: number;
  /** True after its nonce was observed to be used. */
  readonly mined: boolean;
}

/** Stores the transactions of the service before they are sent. */
export interface ServiceTransactionStore {
  /** The transactions of one purpose, in the order of their nonces. */
  attempts(purpose: SendingPurpose): Promise<readonly StoredTransaction[]>;
  /** All transactions of an account from a nonce on, in order: the wallet has to be able to pay for each of them. */
  from(account: SendingAccount, nonce: bigint): Promise<readonly StoredTransaction[]>;
  /**
   * Allocates the lowest free nonce from `from` on, signs with it and stores the result with its gas, under a lock of the
   * account. When another replica has added an attempt beyond the `attemptsRead` ones, returns the newest attempt and signs
   * nothing. `undefined`: the gas exceeds the budget of the customer, and nothing was signed.
   */
  allocate(
    allocation: NonceAllocation,
    sign: (nonce: bigint) => Promise<SignedTransaction>,
  ): Promise<StoredTransaction | undefined>;
  /** Replaces a transaction by another, whose gas has this cost. False when another replica has replaced it. */
  replace(replaced: StoredTransaction, replacement: SignedTransaction & { readonly cost: GasCost }): Promise<boolean>;
  /** Stores that the nonce of a transaction is used. */
  markMined(id: string): Promise<void>;
}

interface StoreDeps {
  readonly database: Database;
  readonly gasBudgets: GasBudgets;
}

export function createServiceTransactionStore({ database, gasBudgets }: StoreDeps): ServiceTransactionStore {
  const store = unscopedStore({ database, gasBudgets });
  // A request that sends a transaction has to see those of all customers: they have the nonces before its own.
  const ofAll = <Result>(work: () => Result): Result => runForService('serviceWallet', work);
  return {
    attempts: (purpose) => ofAll(() => store.attempts(purpose)),
    from: (account, nonce) => ofAll(() => store.from(account, nonce)),
    allocate: (allocation, sign) => ofAll(() => store.allocate(allocation, sign)),
    replace: (replaced, replacement) => ofAll(() => store.replace(replaced, replacement)),
    markMined: (id) => ofAll(() => store.markMined(id)),
  };
}

function unscopedStore({ database, gasBudgets }: StoreDeps): ServiceTransactionStore {
  return {
    attempts: (purpose) => attemptsOf(database, purpose),
    async from({ chainId, sender }, nonce) {
      const rows = await database.$queryRaw<Row[]>`
        SELECT id, nonce, "txHash", raw, "minedAt" IS NOT NULL AS mined,
               (extract(epoch FROM now() - "createdAt") * 1000)::float AS "ageMs"
          FROM "ServiceTransaction" WHERE "chainId" = ${chainId} AND sender = ${sender} AND nonce >= ${nonce}
         ORDER BY nonce`;
      return rows.map(written);
    },
    allocate: (allocation, sign) => database.$transaction((tx) => allocate({ tx, gasBudgets }, allocation, sign)),
    replace: ({ id, txHash }, { cost, ...replacement }) =>
      database.$transaction(async (tx) => {
        const replaced = await tx.$executeRaw`
          UPDATE "ServiceTransaction"
             SET "txHash" = ${replacement.txHash}, raw = ${replacement.raw} || ${SEPARATOR} || raw, "createdAt" = now()
           WHERE id = ${id}::uuid AND "txHash" = ${txHash}`;
        if (replaced === 1) await gasBudgets.raise(tx, id, cost);
        return replaced === 1;
      }),
    async markMined(id) {
      await database.$executeRaw`
        UPDATE "ServiceTransaction" SET "minedAt" = now() WHERE id = ${id}::uuid AND "minedAt" IS NULL`;
    },
  };
}

/** Separates a transaction from those that it replaced. */
const SEPARATOR = ' ';

type Row = Omit<StoredTransaction, 'replaced'>;

function written({ raw: all, ...row }: Row): StoredTransaction {
  const [raw = '', ...replaced] = all.split(SEPARATOR);
  return { ...row, raw, replaced };
}

async function attemptsOf(
  database: Pick<Transaction, '$queryRaw'>,
  { actionId, purpose, chainId, sender }: SendingPurpose,
): Promise<StoredTransaction[]> {
  const rows = await database.$queryRaw<Row[]>`
    SELECT id, nonce, "txHash", raw, "minedAt" IS NOT NULL AS mined,
           (extract(epoch FROM now() - "createdAt") * 1000)::float AS "ageMs"
      FROM "ServiceTransaction"
     WHERE "actionId" = ${actionId}::uuid AND purpose = ${purpose} AND "chainId" = ${chainId} AND sender = ${sender}
     ORDER BY nonce`;
  return rows.map(written);
}

async function allocate(
  { tx, gasBudgets }: { readonly tx: Transaction; readonly gasBudgets: GasBudgets },
  allocation: NonceAllocation,
  sign: (nonce: bigint) => Promise<SignedTransaction>,
): Promise<StoredTransaction | undefined> {
  const { customerId, actionId, purpose, chainId, sender, from, attemptsRead, gas } = allocation;
  await tx.$queryRaw`
    SELECT 1 FROM pg_advisory_xact_lock(hashtextextended(${`service transactions ${String(chainId)} ${sender}`}, 0))`;
  const attempts = await attemptsOf(tx, allocation);
  const newest = attempts.at(-1);
  if (newest !== undefined && attempts.length > attemptsRead) return newest;
  const id = uuidV7();
  const { taken } = await gasBudgets.take(tx, { id, customerId, actionId, chainId, ...gas });
  if (!taken) return undefined;
  const nonce = await lowestFree(tx, { chainId, sender }, from);
  const signed = await sign(nonce);
  await tx.serviceTransaction.create({
    data: { id, customerId, actionId, purpose, chainId, sender, nonce, ...signed },
  });
  return { id, nonce, ...signed, replaced: [], ageMs: 0, mined: false };
}

/** A skipped nonce is used first, since no transaction after a gap is mined. A chain that was reset leaves such gaps. */
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
