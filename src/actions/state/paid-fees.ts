import { z } from 'zod';
import { formatUsdPadded, parseUsd, sumUsd, toMicroUsd } from '../../money/usd';
import type { Transaction } from '../../persistence/database';
import type { ActionFee, ActionFees } from '../../transactions/action-plan';

/** Type of the entry fee of a deposit in the breakdown of the fees of an action. */
export const ENTRY_FEE = 'platform';

/** Types of the fees that an action of a strategy takes in the underlying asset. */
const ENTRY_FEES: ReadonlySet<string> = new Set([ENTRY_FEE]);
const PROFIT_FEES: ReadonlySet<string> = new Set(['performance', 'markup']);

/** `Action.fees`: amounts in US dollars, `tokenAmount` in base units of `token`. */
export const storedFees = z.object({
  total: z.string(),
  currency: z.string(),
  breakdown: z.array(
    z.object({
      type: z.string(),
      amount: z.string(),
      currency: z.string(),
      token: z.string().optional(),
      tokenAmount: z.string().optional(),
    }),
  ),
});
const { breakdown } = storedFees.shape;

interface OwnAction {
  readonly actionId: string;
  readonly customerId: string;
}

/** The entry fee in the stored fees of an action, in base units of the underlying asset. */
export const entryFeeIn = (fees: unknown): bigint => sumOfTypes(storedFees.parse(fees), ENTRY_FEES);

/** The fees on profit in the stored fees of an action, in base units of the underlying asset. */
export const profitFeesIn = (fees: unknown): bigint => sumOfTypes(storedFees.parse(fees), PROFIT_FEES);

/** All fees of the strategy in the fees of its action, in base units of the underlying asset. Gas is in another token. */
export const strategyFeesIn = (fees: ActionFees): bigint =>
  sumOfTypes(fees, ENTRY_FEES) + sumOfTypes(fees, PROFIT_FEES);

const sumOfTypes = ({ breakdown: lines }: ActionFees, types: ReadonlySet<string>): bigint =>
  lines.reduce((sum, { type, tokenAmount }) => (types.has(type) ? sum + BigInt(tokenAmount ?? '0') : sum), 0n);

/**
 * Makes an action state the entry fee that its transactions have really paid: the caller may have requested several forms of a
 * deposit, each with another fee, and may send any of them. What was stated before stays while none is sent that states its fee.
 */
export async function statePaidFees(tx: Transaction, { actionId, customerId }: OwnAction): Promise<void> {
  const paid = await tx.$queryRaw<{ fees: unknown }[]>`
    SELECT call.fees FROM "ActionStep" AS step JOIN "ActionCall" AS call ON call.id = step."callId"
     WHERE step."actionId" = ${actionId}::uuid AND step."customerId" = ${customerId}::uuid
       AND call."customerId" = step."customerId" AND step.status IN ('SUBMITTED', 'CONFIRMED') AND NOT step.reverted
       AND call.fees IS NOT NULL
     ORDER BY step."stepIndex"`;
  if (paid.length === 0) return;
  const fees = paid.flatMap((call) => breakdown.parse(call.fees));
  await replaceEntryFee(tx, { actionId, customerId, fees });
}

/** Puts an entry fee in the place of the one that the action states. */
export async function replaceEntryFee(
  tx: Transaction,
  { actionId, customerId, fees }: OwnAction & { readonly fees: readonly ActionFee[] },
): Promise<void> {
  const where = { id: actionId, customerId };
  const action = await tx.action.findFirstOrThrow({ where, select: { fees: true } });
  const others = storedFees.parse(action.fees).breakdown.filter(({ type }) => type !== ENTRY_FEE);
  const all = [...others, ...fees].map((each) => ({ ...each }));
  const total = formatUsdPadded(sumUsd(all.map(({ amount }) => parseUsd(amount) ?? toMicroUsd(0n))));
  await tx.action.updateMany({ where, data: { fees: { total, currency: 'USD', breakdown: all } } });
}
