import { z } from 'zod';
import { describeFailure } from '../../../errors/describe-failure';
import type { Database } from '../../../persistence/database';
import { postponedItems, quarantine } from '../../state/quarantine';
import type { SearchItem } from './search-schedule';
import type { SolanaTrackerDeps } from './solana-tracker-deps';

/** An issued reference, and what the transaction that names it must do. Amounts in base units. */
export interface OpenReference extends SearchItem {
  readonly actionId: string;
  readonly stepIndex: number;
  readonly reference: string;
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
type ReferenceId = Pick<OpenReference, 'actionId' | 'customerId' | 'stepIndex' | 'reference'>;

const keyOf = ({ actionId, stepIndex, reference }: Omit<ReferenceId, 'customerId'>): string =>
  `${actionId}/${stepIndex}/${reference}`;

const row = z.object({
  actionId: z.string(),
  customerId: z.string(),
  stepIndex: z.int(),
  reference: z.string(),
  createdAt: z.date(),
  chainIdOut: z.bigint().transform((id) => Number.parseInt(id.toString(), 10)),
  originAddress: z.string(),
  receiverAddress: z.string(),
  tokenIn: z.string(),
  tokenOut: z.string(),
  amountIn: z.string().transform(BigInt),
  minAmountOut: z.string().transform(BigInt),
});

/**
 * The references that no transaction has executed yet, oldest actions first, without those in quarantine whose next attempt
 * is not due. One that cannot be read is put into quarantine.
 */
export async function openReferences(
  { database, log }: Pick<SolanaTrackerDeps, 'database' | 'log'>,
  chainId: number,
): Promise<readonly OpenReference[]> {
  const postponed = await postponedItems(database, { chainId, stage: 'search' });
  const rows = await database.$queryRaw<ReferenceId[]>`
    SELECT DISTINCT ON (call."actionId", call."stepIndex", call.target)
           call."actionId", call."customerId", call."stepIndex", call.target AS reference, call."createdAt",
           action."chainIdOut", action."originAddress", action."receiverAddress",
           action."tokenIn"->>'address' AS "tokenIn", action."tokenOut"->>'address' AS "tokenOut",
           action."amountIn"::text, action."minAmountOut"::text
      FROM "ActionCall" AS call
      JOIN "Action" AS action ON action.id = call."actionId"
      JOIN "ActionStep" AS step ON step."actionId" = call."actionId" AND step."stepIndex" = call."stepIndex"
     WHERE call."chainId" = ${chainId} AND call.open AND call.form = 'REFERENCE'
       AND ((action.status IN ('INITIAL', 'PENDING') AND step.status = 'PENDING')
            OR (action.status = 'FAILED' AND step.status IN ('SKIPPED', 'PENDING')))
     ORDER BY call."actionId", call."stepIndex", call.target, call.id`;
  const references: OpenReference[] = [];
  for (const each of rows.filter((found) => !postponed.has(keyOf(found)))) {
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
    SELECT call."actionId", call."customerId", call."stepIndex", call.target AS reference, call."createdAt", action."chainIdOut",
           action."originAddress", action."receiverAddress", action."tokenIn"->>'address' AS "tokenIn",
           action."tokenOut"->>'address' AS "tokenOut", action."amountIn"::text, action."minAmountOut"::text
      FROM "ActionCall" AS call JOIN "Action" AS action ON action.id = call."actionId"
     WHERE call."actionId" = ${actionId}::uuid AND call."stepIndex" = ${stepIndex}
       AND call."chainId" = ${chainId} AND call.form = 'REFERENCE'
     ORDER BY call.id LIMIT 1`;
  const [found] = z.array(row).parse(rows);
  return found === undefined ? undefined : referenceOf(found, chainId);
}

const referenceOf = (
  { actionId, customerId, stepIndex, reference, createdAt, ...plan }: z.output<typeof row>,
  chainId: number,
): OpenReference => ({
  actionId,
  customerId,
  stepIndex,
  reference,
  createdAt,
  plan: { ...plan, chainId },
  key: keyOf({ actionId, stepIndex, reference }),
});
