import type { Logger } from 'pino';
import type { CustomerLimits } from '../auth/customer-limits';
import { maxBigInt } from '../money/min-max';
import { formatUsd, toMicroUsd } from '../money/usd';
import { Prisma } from './client/client';
import { customerLimitSql } from './customer-limit';
import type { Transaction } from './database';
import { isStatementTimeout } from './database-outage';

/** Maximum cost of gas. */
export interface GasCost {
  /** In the smallest unit of the native coin. */
  readonly wei: bigint;
  /** In millionths of a US dollar; `undefined` without a price. */
  readonly microUsd: bigint | undefined;
}

/** The limits of the kinds of gas that have a budget. */
const LIMIT_OF_KIND = {
  sponsored: 'sponsoredGasUsd',
  completion: 'completionGasUsd',
  deployment: 'deploymentGasUsd',
} as const;
type BudgetedKind = keyof typeof LIMIT_OF_KIND;
type GasLimits = Pick<CustomerLimits, (typeof LIMIT_OF_KIND)[BudgetedKind]>;

interface SpendingIds {
  /** Id of the service transaction; for a sponsored user operation, the id of its action. */
  readonly id: string;
  readonly customerId: string;
  readonly actionId: string;
  readonly chainId: number;
}

/** Identifies a sponsored user operation on its chain. */
export interface SponsoredOperation {
  /** The account that the operation belongs to. */
  readonly sender: string;
  /** Key of its nonce in the EntryPoint; used by no operation of another action. */
  readonly nonceKey: bigint;
  /** The last block time at which it can be executed. */
  readonly validUntil: Date;
}

interface Budget {
  readonly customerId: string;
  readonly kind: BudgetedKind;
}

/** Gas with a budget: it has a price, because nothing else can be compared with a budget. */
interface BudgetedGas extends SpendingIds, Budget {
  readonly cost: GasCost & { readonly microUsd: bigint };
  /** True for gas that is spent also beyond the budget, and counts against it. */
  readonly isForced?: boolean;
  /** The sponsored operation. Its gas is released when the chain shows that it was not executed in time. */
  readonly operation?: SponsoredOperation;
}

/** Gas of payments of money that the service holds. Their gas is recorded, whatever it costs. */
interface UnlimitedGas extends SpendingIds {
  readonly kind: 'ramp';
  readonly cost: GasCost;
  readonly isForced?: undefined;
  readonly operation?: undefined;
}

/** Gas of a transaction or user operation that the service pays. */
export type GasSpending = BudgetedGas | UnlimitedGas;

/** Result of a request for gas. `maximum`: the customer's budget in US dollars for 24 hours, which the request would exceed. */
export type TakenGas = { readonly taken: true } | { readonly taken: false; readonly maximum: number };

/** What the service spends on gas for its customers, and their budgets for the last 24 hours. */
export interface GasBudgets {
  /**
   * Records gas before it can be spent, or nothing when it exceeds the budget of its customer. The lock of the budget lets
   * one transaction of a customer decide at a time, so that concurrent requests do not exceed it. The gas of a repeated
   * request with the same id is counted once, at its highest cost.
   */
  take(tx: Transaction, spending: GasSpending): Promise<TakenGas>;
  /** The customer's budget in US dollars for 24 hours once it is used up; `undefined` before. */
  reached(tx: Transaction, budget: Budget): Promise<number | undefined>;
  /**
   * Raises the recorded cost of a transaction that is replaced by one with a higher fee, also above the budget. Without a
   * price the recorded cost grows in proportion to the fee.
   */
  raise(tx: Transaction, id: string, cost: GasCost): Promise<void>;
}

export interface GasBudgetsDeps {
  /** Limits of the deployment, for customers without their own. */
  readonly limits: GasLimits;
  readonly log: Pick<Logger, 'warn'>;
  /** Time limit for adding up the records, while other requests of the customer wait for the lock; a second by default. */
  readonly maxCountMs?: number;
}

export const createGasBudgets = (deps: GasBudgetsDeps): GasBudgets => ({
  async take(tx, spending) {
    if (spending.kind !== 'ramp') return takeBudgeted(tx, deps, spending);
    await record(tx, spending);
    return { taken: true };
  },
  async reached(tx, budget) {
    const { used: counted, maximum, mayRecount } = await lockCounter(tx, deps, budget);
    const isReached = (used: bigint): boolean => used >= BigInt(maximum) * MICRO_USD;
    if (!isReached(counted) || !mayRecount) return isReached(counted) ? maximum : undefined;
    const used = (await addUp(tx, deps, budget)) ?? counted;
    await saveCounter(tx, budget, { used, recounted: true });
    return isReached(used) ? maximum : undefined;
  },
  async raise(tx, id, { wei, microUsd }) {
    const cost = decimal(microUsd);
    await tx.$executeRaw`
      WITH before AS (
        SELECT id, "customerId", kind, coalesce("costUsd", 0) AS recorded,
               coalesce(${cost}::numeric, ceil("costUsd" * ${wei.toString()}::numeric / nullif(wei, 0) * ${MICRO_USD}) / ${MICRO_USD}) AS cost
          FROM "GasSpending" WHERE id = ${id}::uuid FOR UPDATE
      ), raised AS (
        UPDATE "GasSpending" AS spending
           SET wei = greatest(wei, ${wei.toString()}::numeric), "costUsd" = greatest("costUsd", before.cost)
          FROM before WHERE spending.id = before.id
      )
      UPDATE "GasBudget" AS budget
         SET "usedUsd" = "usedUsd" + greatest(0, before.cost - before.recorded)
        FROM before WHERE budget."customerId" = before."customerId" AND budget.kind = before.kind`;
  },
});

const MICRO_USD = 1_000_000n;
const decimal = (microUsd: bigint | undefined): string | null =>
  microUsd === undefined ? null : formatUsd(toMicroUsd(microUsd));

/** A customer at its limit has its records added up again at this interval. */
const RECOUNT_SECONDS = 5;

/** Condition on a row `spending`: it counts against the budget. */
const COUNTS = Prisma.sql`(spending."createdAt" > now() - interval '24 hours' AND spending."releasedAt" IS NULL)`;

async function takeBudgeted(tx: Transaction, deps: GasBudgetsDeps, spending: BudgetedGas): Promise<TakenGas> {
  const counter = await lockCounter(tx, deps, spending);
  const before = await lockRecord(tx, spending);
  const added = maxBigInt(spending.cost.microUsd, before.recorded) - before.counted;
  const fits = (used: bigint): boolean => used + added <= BigInt(counter.maximum) * MICRO_USD;
  const recounted = !fits(counter.used) && counter.mayRecount;
  const used = (recounted ? await addUp(tx, deps, spending) : undefined) ?? counter.used;
  const taken = spending.isForced === true || fits(used);
  await saveCounter(tx, spending, { used: taken ? used + added : used, recounted });
  if (taken) await record(tx, spending);
  if (!fits(used)) await warnOnce(tx, deps, { spending, maximum: counter.maximum });
  return taken ? { taken } : { taken, maximum: counter.maximum };
}

interface Counter {
  /** Millionths of a US dollar. */
  readonly used: bigint;
  /** US dollars. */
  readonly maximum: number;
  /** True when the records may be added up now. */
  readonly mayRecount: boolean;
}

async function lockCounter(
  tx: Transaction,
  { limits }: GasBudgetsDeps,
  { customerId, kind }: Budget,
): Promise<Counter> {
  const limit = LIMIT_OF_KIND[kind];
  await tx.$executeRaw`
    INSERT INTO "GasBudget" ("customerId", kind, "usedUsd") VALUES (${customerId}::uuid, ${kind}, 0)
    ON CONFLICT DO NOTHING`;
  const [counter] = await tx.$queryRaw<[Counter]>`
    WITH held AS (
      SELECT "usedUsd", "countedAt" FROM "GasBudget"
       WHERE "customerId" = ${customerId}::uuid AND kind = ${kind} FOR UPDATE
    )
    SELECT ("usedUsd" * ${MICRO_USD})::bigint AS used,
           ${customerLimitSql(customerId, limit, { ofDeployment: limits[limit] })} AS maximum,
           "countedAt" IS NULL OR "countedAt" < clock_timestamp() - make_interval(secs => ${RECOUNT_SECONDS}) AS "mayRecount"
      FROM held`;
  return counter;
}

/** The recorded cost of the same id and the counted part of it, in millionths of a US dollar. */
interface RecordedCost {
  readonly recorded: bigint;
  readonly counted: bigint;
}

/** Locks the record, so that it is not released meanwhile. */
async function lockRecord(tx: Transaction, { id }: BudgetedGas): Promise<RecordedCost> {
  const [before] = await tx.$queryRaw<RecordedCost[]>`
    SELECT ("costUsd" * ${MICRO_USD})::bigint AS recorded,
           (CASE WHEN ${COUNTS} THEN "costUsd" ELSE 0 END * ${MICRO_USD})::bigint AS counted
      FROM "GasSpending" AS spending WHERE id = ${id}::uuid FOR UPDATE`;
  return before ?? { recorded: 0n, counted: 0n };
}

const MAX_COUNT_MS = 1000;

/**
 * The sum of the counted records; `undefined` when it takes too long. Such an attempt is stored like a successful one, so
 * that the next request does not repeat it under the lock.
 */
async function addUp(
  tx: Transaction,
  { maxCountMs = MAX_COUNT_MS }: GasBudgetsDeps,
  { customerId, kind }: Budget,
): Promise<bigint | undefined> {
  await tx.$executeRaw`SAVEPOINT adding_up`;
  try {
    await tx.$executeRaw`SELECT set_config('statement_timeout', ${String(maxCountMs)}, true)`;
    const [row] = await tx.$queryRaw<[{ readonly used: bigint }]>`
      SELECT (coalesce(sum("costUsd"), 0) * ${MICRO_USD})::bigint AS used FROM "GasSpending" AS spending
       WHERE "customerId" = ${customerId}::uuid AND kind = ${kind} AND ${COUNTS}`;
    return row.used;
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    return undefined;
  } finally {
    // Also restores the time limit of statements.
    await tx.$executeRaw`ROLLBACK TO SAVEPOINT adding_up`;
  }
}

async function saveCounter(
  tx: Transaction,
  { customerId, kind }: Budget,
  { used, recounted }: { readonly used: bigint; readonly recounted: boolean },
): Promise<void> {
  await tx.$executeRaw`
    UPDATE "GasBudget"
       SET "usedUsd" = ${decimal(used)}::numeric,
           "countedAt" = CASE WHEN ${recounted} THEN clock_timestamp() ELSE "countedAt" END
     WHERE "customerId" = ${customerId}::uuid AND kind = ${kind}`;
}

/** Records gas. Operations of several senders have several nonces: such a record is never released. */
async function record(tx: Transaction, spending: GasSpending): Promise<void> {
  const { id, customerId, actionId, chainId, kind, cost, operation } = spending;
  const { sender = null, nonceKey, validUntil = null } = operation ?? {};
  await tx.$executeRaw`
    INSERT INTO "GasSpending" AS spending
           (id, "customerId", "actionId", "chainId", kind, wei, "costUsd", sender, "nonceKey", "validUntil")
    VALUES (${id}::uuid, ${customerId}::uuid, ${actionId}::uuid, ${chainId}, ${kind}, ${cost.wei.toString()}::numeric,
            ${decimal(cost.microUsd)}::numeric, ${sender}, ${nonceKey?.toString() ?? null}::numeric, ${validUntil})
    ON CONFLICT (id) DO UPDATE
       SET wei = greatest(spending.wei, excluded.wei), "costUsd" = greatest(spending."costUsd", excluded."costUsd"),
           sender = CASE WHEN spending.sender = excluded.sender AND spending."chainId" = excluded."chainId"
                         THEN spending.sender END,
           "validUntil" = greatest(spending."validUntil", excluded."validUntil"), "createdAt" = now(),
           "releasedAt" = NULL, "spentAt" = NULL`;
}

/** Logs an exhausted budget once an hour, however many requests of any replica exceed it. */
async function warnOnce(
  tx: Transaction,
  { log }: GasBudgetsDeps,
  { spending: { customerId, kind }, maximum }: { readonly spending: BudgetedGas; readonly maximum: number },
): Promise<void> {
  const due = await tx.$executeRaw`
    UPDATE "GasBudget" SET "warnedAt" = clock_timestamp()
     WHERE "customerId" = ${customerId}::uuid AND kind = ${kind}
       AND ("warnedAt" IS NULL OR "warnedAt" < clock_timestamp() - interval '1 hour')`;
  if (due === 0) return;
  log.warn({ customerId, limit: LIMIT_OF_KIND[kind], maximum }, 'the budget of a customer for gas is exhausted');
}
