import { z } from 'zod';
import { describeFailure } from '../../../errors/describe-failure';
import { Prisma } from '../../../persistence/client/client';
import type { Database } from '../../../persistence/database';
import { postponedItems, quarantine } from '../../state/quarantine';
import { CALL_WITH_ACTION } from '../open-calls';
import type { SearchItem } from './search-schedule';
import type { SolanaTrackerDeps } from './solana-tracker-deps';

/** An issued reference, and what the transaction that names it must do. Amounts in base units. */
export interface OpenReference extends SearchItem {
  readonly actionId: string;
  readonly stepIndex: number;
  readonly reference: string;
  /** True when the action has failed: its transaction may come late. */
  readonly isLate: boolean;
  readonly plan: ReferencePlan;
}

export interface ReferencePlan {
  readonly chainId: number;
  readonly chainIdOut: number;
  readonly originAddress: string;
  readonly receiverAddress: string;
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly amountIn: bigint;
  readonly minAmountOut: bigint;
}

/** What identifies a reference in the database. */
export type ReferenceId = Pick<OpenReference, 'actionId' | 'customerId' | 'stepIndex' | 'reference'>;

const keyOf = ({ actionId, stepIndex, reference }: Omit<ReferenceId, 'customerId'>): string =>
  `${actionId}/${stepIndex}/${reference}`;

/** A row of `REFERENCE_COLUMNS`. */
const row = z.object({
  actionId: z.string(),
  customerId: z.string(),
  stepIndex: z.int(),
  reference: z.string(),
  createdAt: z.date(),
  isLate: z.boolean(),
  chainIdOut: z.bigint().transform((id) => Number.parseInt(id.toString(), 10)),
  originAddress: z.string(),
  receiverAddress: z.string(),
  tokenIn: z.string(),
  tokenOut: z.string(),
  amountIn: z.string().transform(BigInt),
  minAmountOut: z.string().transform(BigInt),
});

/** Columns of a reference, from `CALL_WITH_ACTION`. */
export const REFERENCE_COLUMNS = Prisma.sql`
  call."actionId", call."customerId", call."stepIndex", call.target AS reference, call."createdAt",
  action.status = 'FAILED' AS "isLate", action."chainIdOut", action."originAddress", action."receiverAddress",
  action."tokenIn"->>'address' AS "tokenIn", action."tokenOut"->>'address' AS "tokenOut",
  action."amountIn"::text, action."minAmountOut"::text`;

type ReferenceDeps = Pick<SolanaTrackerDeps, 'database' | 'log'>;

/**
 * The references of live actions that no transaction has executed yet, oldest actions first, without those in quarantine
 * whose next attempt is not due. One that cannot be read is put into quarantine.
 */
export async function openReferences(deps: ReferenceDeps, chainId: number): Promise<readonly OpenReference[]> {
  const { database } = deps;
  const postponed = await postponedItems(database, { chainId, stage: 'search' });
  const rows = await database.$queryRaw<ReferenceId[]>`
    SELECT DISTINCT ON (call."actionId", call."stepIndex", call.target) ${REFERENCE_COLUMNS}
      FROM ${CALL_WITH_ACTION}
     WHERE call."chainId" = ${chainId} AND call.open AND call."watchedUntil" IS NULL AND call.form = 'REFERENCE'
       AND action.status IN ('INITIAL', 'PENDING') AND step.status = 'PENDING'
     ORDER BY call."actionId", call."stepIndex", call.target, call.id`;
  const due = rows.filter((found) => !postponed.has(keyOf(found)));
  return parseReferences(deps, chainId, due);
}

/** The references of these rows. One that cannot be read is put into quarantine. */
export async function parseReferences(
  { database, log }: ReferenceDeps,
  chainId: number,
  rows: readonly ReferenceId[],
): Promise<readonly OpenReference[]> {
  const references: OpenReference[] = [];
  for (const each of rows) {
    const parsed = row.safeParse(each);
    if (parsed.success) references.push(referenceOf(parsed.data, chainId));
    else {
      const { actionId, customerId } = each;
      log.warn({ chainId, actionId, cause: describeFailure(parsed.error) }, 'a reference could not be read');
      const item = keyOf(each);
      await quarantine(database, { chainId, stage: 'search', item, actionId, customerId }, parsed.error);
    }
  }
  return references;
}

/** The reference of a step that has its transaction; `undefined` when the step has no reference. */
export async function referenceOfStep(
  database: Database,
  { actionId, stepIndex, chainId }: { readonly actionId: string; readonly stepIndex: number; readonly chainId: number },
): Promise<OpenReference | undefined> {
  const rows = await database.$queryRaw<unknown[]>`
    SELECT ${REFERENCE_COLUMNS} FROM ${CALL_WITH_ACTION}
     WHERE call."actionId" = ${actionId}::uuid AND call."stepIndex" = ${stepIndex}
       AND call."chainId" = ${chainId} AND call.form = 'REFERENCE'
     ORDER BY call.id LIMIT 1`;
  const [found] = z.array(row).parse(rows);
  return found === undefined ? undefined : referenceOf(found, chainId);
}

const referenceOf = (
  { actionId, customerId, stepIndex, reference, createdAt, isLate, ...plan }: z.output<typeof row>,
  chainId: number,
): OpenReference => ({
  actionId,
  customerId,
  stepIndex,
  reference,
  createdAt,
  isLate,
  plan: { ...plan, chainId },
  key: keyOf({ actionId, stepIndex, reference }),
});
