import type { Address, Hex } from 'viem';
import { z } from 'zod';
import type { CustomerId } from '../../auth/principal';
import { Prisma } from '../../persistence/client/client';
import type { Database } from '../../persistence/database';

/**
 * What happens to an order next.
 *
 * - `AWAITING_FUNDS`: its wallet waits for the transfer of the owner.
 * - `PREPARING`: the wallet gets gas, allows the tokens to be taken, and the order is posted.
 * - `OPEN`: it waits for its settlement.
 * - `CANCELLING`: it is made invalid on chain.
 * - `REFUND_DUE`: the refund was decided, and is not queued.
 * - `REFUNDING`: the tokens are returned to the owner.
 * - `SWEEPING`: the rest in the wallet is returned.
 */
export const ORDER_STEPS = [
  'AWAITING_FUNDS',
  'PREPARING',
  'OPEN',
  'CANCELLING',
  'REFUND_DUE',
  'REFUNDING',
  'SWEEPING',
  'ENDED',
] as const;
export type OrderStep = (typeof ORDER_STEPS)[number];

/** Whether an order buys the stock or sells it. */
export type OrderSide = 'BUY' | 'SELL';

const address = z.string().transform((text) => text as Address);
const hash = z.string().transform((text) => text as Hex);
const amount = z.string().transform(BigInt);
const optional = <Value>(value: z.ZodType<Value>) => value.nullable().transform((given) => given ?? undefined);

const orderRow = z.object({
  actionId: z.string(),
  customerId: z.string().transform((id) => id as CustomerId),
  strategyId: z.string(),
  chainId: z.bigint().transform((id) => Number.parseInt(id.toString(), 10)),
  owner: address,
  receiver: address,
  orderWallet: address,
  side: z.enum(['BUY', 'SELL']),
  sellToken: address,
  buyToken: address,
  sellAmount: amount,
  buyAmount: amount,
  limitPriceCents: optional(z.bigint()),
  /** Dollars for one token, with 18 decimals. */
  referencePrice: amount,
  slippageBps: z.int(),
  /** Worth of the amount sold when the order was created, in millionths of a US dollar. */
  sellMicroUsd: amount,
  validTo: z.date(),
  step: z.enum(ORDER_STEPS),
  orderUid: optional(hash),
  quoteId: optional(z.bigint()),
  postedAt: optional(z.date()),
  fromBlock: optional(z.bigint()),
  lastPostError: optional(z.string()),
  lastPostAttemptAt: optional(z.date()),
  providerError: optional(z.string()),
  /** Refusals of the order book in a row that last. */
  refusals: z.int(),
  /** Why it is made invalid before its end. */
  cancelCause: optional(z.enum(['REQUEST', 'REFUSAL'])),
  executedSellAmount: optional(amount),
  executedBuyAmount: optional(amount),
  executionTxHash: optional(hash),
  executedAt: optional(z.date()),
  refundTxHash: optional(hash),
  refundedAt: optional(z.date()),
  failures: z.int(),
  lastFailure: optional(z.string()),
  fencingToken: z.bigint(),
  createdAt: z.date(),
  /** Status of its action, and of the step that pays into its wallet. */
  actionStatus: z.enum(['INITIAL', 'PENDING', 'FAILED', 'REFUNDED', 'SUCCESS']),
  fundingStatus: z.enum(['PENDING', 'SUBMITTED', 'CONFIRMED', 'FAILED', 'SKIPPED']),
  /** Block of the transaction that pays into its wallet; `undefined` until it is mined. */
  fundedBlock: optional(z.bigint()),
});

/** An order of a tokenized stock. Amounts in base units. */
export type StockOrder = z.infer<typeof orderRow>;

export const parseStockOrder = (row: unknown): StockOrder => orderRow.parse(row);

/** Columns that `parseStockOrder` reads from a table named `own`. */
export const ORDER_COLUMNS = Prisma.sql`
  own."actionId", own."customerId", own."strategyId", own."chainId", own.owner, own.receiver, own."orderWallet", own.side,
  own."sellToken", own."buyToken", own."sellAmount"::text, own."buyAmount"::text, own."limitPriceCents",
  own."referencePrice"::text, own."slippageBps", own."sellMicroUsd"::text, own."validTo", own.step, own."orderUid", own."quoteId", own."postedAt",
  own."fromBlock", own."lastPostError", own."lastPostAttemptAt", own."providerError", own.refusals, own."cancelCause", own."executedSellAmount"::text,
  own."executedBuyAmount"::text, own."executionTxHash", own."executedAt", own."refundTxHash", own."refundedAt",
  own.failures, own."lastFailure", own."fencingToken", own."createdAt",
  (SELECT action.status::text FROM "Action" AS action WHERE action.id = own."actionId") AS "actionStatus",
  (SELECT step.status::text FROM "ActionStep" AS step
    WHERE step."actionId" = own."actionId" AND step."stepIndex" = 0) AS "fundingStatus",
  (SELECT step."blockNumber" FROM "ActionStep" AS step
    WHERE step."actionId" = own."actionId" AND step."stepIndex" = 0) AS "fundedBlock"`;

/** The orders of a customer's actions, by the id of the action. */
export async function findStockOrders(
  database: Pick<Database, '$queryRaw'>,
  { customerId, actionIds }: { readonly customerId: CustomerId; readonly actionIds: readonly string[] },
): Promise<ReadonlyMap<string, StockOrder>> {
  if (actionIds.length === 0) return new Map();
  const rows = await database.$queryRaw<unknown[]>`
    SELECT ${ORDER_COLUMNS} FROM "StockOrder" AS own
     WHERE own."customerId" = ${customerId}::uuid AND own."actionId" = ANY(${[...actionIds]}::uuid[])`;
  return new Map(rows.map(parseStockOrder).map((order) => [order.actionId, order]));
}
