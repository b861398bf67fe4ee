import { z } from 'zod';
import { FIAT_CHAIN_ID } from '../chains/chain';
import { Prisma } from '../persistence/client/client';
import { ACTION_TYPES } from '../transactions/action-plan';

const token = z.object({
  chainId: z.number(),
  address: z.string(),
  symbol: z.string(),
  name: z.string(),
  decimals: z.int(),
  logoURI: z.string().optional(),
});

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

const stepStatus = z.enum(['PENDING', 'SUBMITTED', 'CONFIRMED', 'FAILED', 'SKIPPED']);
/** JSON has no 64-bit integers: the query returns them as text. */
const smallNumber = z.string().transform((text) => Number.parseInt(text, 10));
const instant = z.string().transform((text) => new Date(text));

const step = z.object({
  stepIndex: z.int(),
  kind: z.string(),
  operator: z.string(),
  protocol: z.string().nullable(),
  chainId: smallNumber,
  status: stepStatus,
  txHash: z.string().nullable(),
  blockNumber: smallNumber.nullable(),
  minedAt: instant.nullable(),
  userOperationHash: z.string().nullable(),
  failureReason: z.string().nullable(),
});

const approval = z.object({
  stepIndex: z.int(),
  chainId: smallNumber,
  status: stepStatus,
  txHash: z.string().nullable(),
  blockNumber: smallNumber.nullable(),
  minedAt: instant.nullable(),
});

/** The call that completes a transfer. */
const completion = z.object({
  chainId: z.string(),
  to: z.string(),
  data: z.string(),
  value: z.string(),
  from: z.string(),
});

/** The refund, from the detail of its event. */
const refund = z.object({
  chainId: z.number(),
  token: z.string(),
  symbol: z.string(),
  name: z.string(),
  decimals: z.int(),
  logoURI: z.string().optional(),
  amount: z.string().transform(BigInt),
  owner: z.string().optional(),
  amountInUsd: z.string().optional(),
});

const bigId = z.bigint().transform((id) => Number.parseInt(id.toString(), 10));

const actionRow = z.object({
  id: z.string(),
  quoteId: z.string().nullable(),
  /** Snapshots of earlier versions lack these two fields. */
  strategyId: z.string().nullable().default(null),
  strategySlug: z.string().nullable().default(null),
  type: z.enum(ACTION_TYPES),
  status: z.enum(['INITIAL', 'PENDING', 'FAILED', 'REFUNDED', 'SUCCESS']),
  substatus: z.string().nullable(),
  provider: z.string().nullable(),
  originAddress: z.string(),
  receiverAddress: z.string(),
  chainIdIn: bigId,
  chainIdOut: bigId,
  tokenIn: token,
  tokenOut: token,
  amountIn: z.string().transform(BigInt),
  amountOut: z.string().transform(BigInt),
  amountInUsd: z.string().nullable(),
  amountOutUsd: z.string().nullable(),
  fees: storedFees,
  failureReason: z.string().nullable(),
  createdAt: z.date(),
  updatedAt: z.date(),
  initialDate: z.date().nullable(),
  finishedAt: z.date().nullable(),
  steps: z.array(step),
  approvals: z.array(approval),
  completion: completion.nullable(),
  /** Events of earlier versions lack these fields. */
  refund: refund.nullable().catch(null),
});

/** An action with its steps and approvals, as the database returns it. */
export type ActionRow = z.infer<typeof actionRow>;

export const parseActionRow = (row: unknown): ActionRow => actionRow.parse(row);

/** Columns that `parseActionRow` reads from a table or subquery named `action`. One query, however many steps. */
export const ACTION_COLUMNS = Prisma.sql`
  action.id, action."quoteId", action."strategyId", action."strategySlug", action.type, action.status::text, action.substatus, action.provider,
  action."originAddress", action."receiverAddress", action."chainIdIn", action."chainIdOut",
  action."tokenIn", action."tokenOut", action."amountIn"::text, action."amountOut"::text,
  trim_scale(action."amountInUsd")::text AS "amountInUsd", trim_scale(action."amountOutUsd")::text AS "amountOutUsd",
  action.fees, action."failureReason", action."createdAt", action."updatedAt", action."initialDate", action."finishedAt",
  (SELECT coalesce(jsonb_agg(jsonb_build_object(
            'stepIndex', step."stepIndex", 'kind', step.kind, 'operator', step.operator, 'protocol', step.protocol,
            'chainId', step."chainId"::text, 'status', step.status, 'txHash', step."txHash",
            'blockNumber', step."blockNumber"::text, 'minedAt', step."minedAt",
            'userOperationHash', step."userOperationHash",
            'failureReason', coalesce(step."failureReason", step."deliveryFlaw")
          ) ORDER BY step."stepIndex"), '[]')
     FROM "ActionStep" AS step WHERE step."actionId" = action.id) AS steps,
  (SELECT coalesce(jsonb_agg(jsonb_build_object(
            'stepIndex', call."stepIndex", 'chainId', call."chainId"::text, 'status', call.status,
            'txHash', call."txHash", 'blockNumber', call."blockNumber"::text, 'minedAt', call."minedAt"
          ) ORDER BY call.id), '[]')
     FROM "ActionCall" AS call WHERE call."actionId" = action.id AND call.kind = 'APPROVAL') AS approvals,
  (SELECT delivery.completion FROM "Delivery" AS delivery
    WHERE delivery."actionId" = action.id
      AND (action.status = 'PENDING' OR (action.status = 'FAILED' AND action."chainIdOut" = ${FIAT_CHAIN_ID}))) AS completion,
  (SELECT event.detail FROM "ActionEvent" AS event
    WHERE event."actionId" = action.id AND action.status = 'REFUNDED' AND event."toStatus" = 'REFUNDED'
    ORDER BY event.id LIMIT 1) AS refund`;
