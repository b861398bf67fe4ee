import { z } from 'zod';
import { describeFailure } from '../../errors/describe-failure';
import type { Action, ActionStep, Delivery } from '../../persistence/client/client';
import { FEE_PROTOCOL } from '../../transactions/action-plan';
import { parseTerms } from '../amounts/transfer-terms';
import { profitFeesIn } from '../state/paid-fees';
import { quarantine } from '../state/quarantine';
import type { TrackerDeps } from './tracker-deps';

/** A step whose transaction was seen and is not final, with the relevant part of its action. */
export interface SubmittedStep {
  readonly actionId: string;
  readonly customerId: string;
  readonly stepIndex: number;
  readonly kind: string;
  /** True when it pays a fee of the action, next to the amount that the others move. */
  readonly isFee: boolean;
  /** True for the last step of its action, fees left out, which brings the token that the action buys. */
  readonly isLast: boolean;
  readonly chainId: number;
  readonly txHash: string;
  readonly blockNumber: bigint;
  readonly blockHash: string;
  /** Set when the transaction is a bundle: the user operation in it that carried out the step. */
  readonly userOperationHash: string | undefined;
  /** Set when a Safe made the call: its position among the calls of the Safe in the transaction. */
  readonly callIndex: number | undefined;
  /** Flaw of the tokens that arrived, although the transaction succeeded. */
  readonly flaw: string | undefined;
  readonly action: {
    readonly originAddress: string;
    readonly receiverAddress: string;
    readonly chainIdIn: number;
    readonly chainIdOut: number;
    readonly tokenIn: string;
    readonly tokenOut: string;
    /** True when a step of its own pays a fee, which `amountIn` includes. */
    readonly hasFee: boolean;
    /** Fees on the profit of a withdrawal, in base units of what it pays, which `amountOut` does not include. */
    readonly profitFee: bigint;
    /** Quoted amount. */
    readonly amountIn: bigint;
    /** Unit of `amountOut` for messages. */
    readonly unitOut: { readonly symbol: string; readonly decimals: number };
    readonly amountOut: bigint;
    readonly minAmountOut: bigint;
  };
  /**
   * What the provider of a delivery had to bring, when the delivery is a part of the action: then these differ from the action's.
   * `undefined` for other steps.
   */
  readonly delivered: DeliveredPart | undefined;
}

type DeliveredPart = Pick<
  SubmittedStep['action'],
  'receiverAddress' | 'tokenOut' | 'unitOut' | 'amountOut' | 'minAmountOut'
>;

/** Steps of one pass: their receipts are requested together. */
const BATCH_SIZE = 100;

const token = z.object({ address: z.string() }).transform(({ address }) => address);
const actionParts = z.object({ tokenIn: token, tokenOut: token });
const unit = z.object({ symbol: z.string(), decimals: z.int() });

/**
 * The submitted steps whose block is within the bounds, least recently updated first. Without `withPostponed`, those in
 * quarantine whose next attempt is not due are left out. Includes steps of actions that have ended for another reason:
 * their transactions still become final.
 *
 * A step that cannot be read is put into quarantine.
 */
export async function submittedSteps(
  { database, log }: Pick<TrackerDeps, 'database' | 'log'>,
  chainId: number,
  {
    after,
    notAfter,
    withPostponed = false,
  }: { readonly after?: bigint; readonly notAfter?: bigint; readonly withPostponed?: boolean },
): Promise<readonly SubmittedStep[]> {
  const keys = await database.$queryRaw<{ actionId: string; stepIndex: number }[]>`
    SELECT step."actionId", step."stepIndex" FROM "ActionStep" AS step
     WHERE step."chainId" = ${chainId} AND step.status = 'SUBMITTED' AND step."txHash" IS NOT NULL
       AND step."blockHash" IS NOT NULL AND step."blockNumber" IS NOT NULL
       AND (${after ?? null}::bigint IS NULL OR step."blockNumber" > ${after ?? null}::bigint)
       AND (${notAfter ?? null}::bigint IS NULL OR step."blockNumber" <= ${notAfter ?? null}::bigint)
       AND (${withPostponed} OR NOT EXISTS (
         SELECT 1 FROM "Quarantine" AS kept
          WHERE kept."chainId" = ${chainId} AND kept.stage = 'settlement'
            AND kept.item = step."actionId" || '/' || step."stepIndex" AND kept."nextAt" > now()))
     ORDER BY step."updatedAt" LIMIT ${BATCH_SIZE}`;
  const rows = await database.actionStep.findMany({
    where: { OR: keys.map(({ actionId, stepIndex }) => ({ actionId, stepIndex })) },
    orderBy: { updatedAt: 'asc' },
    include: {
      action: {
        include: {
          steps: { where: { kind: { not: 'REFUND' } }, select: { stepIndex: true, protocol: true } },
          delivery: { select: { destinationStep: true, terms: true } },
        },
      },
    },
  });
  const steps: SubmittedStep[] = [];
  for (const row of rows) {
    const { actionId, stepIndex, customerId } = row;
    try {
      steps.push(...stepOf(row, chainId));
    } catch (error) {
      log.warn({ chainId, actionId, cause: describeFailure(error) }, 'a step could not be read');
      const item = `${actionId}/${String(stepIndex)}`;
      await quarantine(database, { chainId, stage: 'settlement', item, actionId, customerId }, error);
    }
  }
  return steps;
}

type ActionWithSteps = Action & {
  readonly steps: readonly Pick<ActionStep, 'stepIndex' | 'protocol'>[];
  readonly delivery: Pick<Delivery, 'destinationStep' | 'terms'> | null;
};

function stepOf(
  { txHash, blockNumber, blockHash, deliveryFlaw, action, ...row }: ActionStep & { readonly action: ActionWithSteps },
  chainId: number,
): readonly SubmittedStep[] {
  const { actionId, customerId, stepIndex, kind } = row;
  if (row.status !== 'SUBMITTED' || txHash === null || blockNumber === null || blockHash === null) return [];
  const userOperationHash = row.userOperationHash ?? undefined;
  const callIndex = row.callIndex ?? undefined;
  const flaw = deliveryFlaw ?? undefined;
  const place = { chainId, txHash, blockNumber, blockHash, userOperationHash, callIndex };
  const isFee = isFeeStep(row);
  const isLast = !isFee && action.steps.every((each) => each.stepIndex <= stepIndex || isFeeStep(each));
  const hasFee = action.steps.some(isFeeStep);
  const parts = { action: partsOf(action, hasFee), delivered: deliveredBy(row, action.delivery) };
  return [{ actionId, customerId, stepIndex, kind, isFee, isLast, ...place, flaw, ...parts }];
}

function deliveredBy(
  { stepIndex }: Pick<ActionStep, 'stepIndex'>,
  delivery: ActionWithSteps['delivery'],
): DeliveredPart | undefined {
  const terms = delivery?.destinationStep === stepIndex ? parseTerms(delivery.terms) : undefined;
  if (terms === undefined) return undefined;
  const { receiverAddress, tokenOut, amountOut, minAmountOut } = terms;
  return { receiverAddress, tokenOut: tokenOut.address, unitOut: tokenOut, amountOut, minAmountOut };
}

const isFeeStep = ({ protocol }: Pick<ActionStep, 'protocol'>): boolean => protocol === FEE_PROTOCOL;

const partsOf = (action: Action, hasFee: boolean): SubmittedStep['action'] => ({
  hasFee,
  profitFee: hasFee ? profitFeesIn(action.fees) : 0n,
  originAddress: action.originAddress,
  receiverAddress: action.receiverAddress,
  chainIdIn: smallId(action.chainIdIn),
  chainIdOut: smallId(action.chainIdOut),
  ...actionParts.parse(action),
  unitOut: unit.parse(action.tokenOut),
  amountIn: BigInt(action.amountIn.toFixed(0)),
  amountOut: BigInt(action.amountOut.toFixed(0)),
  minAmountOut: BigInt(action.minAmountOut.toFixed(0)),
});

const smallId = (chainId: bigint): number => Number.parseInt(chainId.toString(), 10);
