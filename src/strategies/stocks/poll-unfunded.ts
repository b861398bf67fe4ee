import type { Logger } from 'pino';
import { describeFailure } from '../../errors/describe-failure';
import { Prisma } from '../../persistence/client/client';
import type { Database } from '../../persistence/database';
import { IS_FREE } from './claim-orders';
import { recordLateFunds } from './record-outcome';
import { ORDER_COLUMNS, parseStockOrder, type StockOrder } from './stock-order';
import type { StockVenue } from './stock-venue';

export interface UnfundedDeps {
  readonly database: Database;
  readonly venue: Pick<StockVenue, 'finalBalances' | 'isWorthGas'>;
  readonly log: Pick<Logger, 'warn'>;
  /** Shortest interval of the polls of an order. */
  readonly pollMs: number;
}

/** Orders of one poll. The wallets of late ones are read in one call. */
const BATCH_SIZE = 200;
const MAX_POLL_SECONDS = 30;
/** Tokens that come late, after the action has failed, may be returned later. */
const LATE_POLL_SECONDS = 600;
/** How long tokens may come late to the wallet of an action that has failed, and longer while the trackers search for them. */
const LATE_FUNDS_MS = 8 * 86_400_000;

/**
 * Polls orders whose wallets have no tokens yet, many in one statement: they take no turn from funded orders. Older ones are
 * polled less often. Those whose transfer is final go on. The wallets of failed actions are read at a final block: late
 * tokens are returned. Returns the number of polled orders; any number of processes may poll.
 */
export async function pollUnfunded(deps: UnfundedDeps): Promise<number> {
  const polled = await nextPolls(deps);
  const late = polled.filter(({ actionStatus, step }) => actionStatus === 'FAILED' && step === 'AWAITING_FUNDS');
  for (const chainId of new Set(late.map((order) => order.chainId)))
    await pollLate(
      deps,
      late.filter((order) => order.chainId === chainId),
    );
  return polled.length;
}

/** The next interval is stored before the poll: it is the lease. */
async function nextPolls({ database, pollMs }: UnfundedDeps): Promise<readonly StockOrder[]> {
  const age = Prisma.sql`extract(epoch FROM now() - own."createdAt")`;
  const rows = await database.$queryRaw<unknown[]>`
    WITH due AS (
      SELECT own."actionId", action.status = 'FAILED' AS late,
             action.status = 'PENDING' AND EXISTS (
               SELECT 1 FROM "ActionStep" AS step
                WHERE step."actionId" = own."actionId" AND step."stepIndex" = 0 AND step.status = 'CONFIRMED') AS funded
        FROM "StockOrder" AS own JOIN "Action" AS action ON action.id = own."actionId"
       WHERE own.step = 'AWAITING_FUNDS' AND own."nextAt" <= now() AND ${IS_FREE}
       ORDER BY own."nextAt" LIMIT ${BATCH_SIZE} FOR UPDATE OF own SKIP LOCKED
    )
    UPDATE "StockOrder" AS own
       SET step = CASE WHEN due.funded THEN 'PREPARING' ELSE own.step END, "updatedAt" = now(),
           "nextAt" = now() + make_interval(secs => CASE
             WHEN due.funded THEN 0
             WHEN due.late THEN greatest(${LATE_POLL_SECONDS}, ${age} / 20)
             ELSE least(${MAX_POLL_SECONDS}, greatest(${pollMs / 1000}::float8, ${age} / 50)) END)
      FROM due WHERE own."actionId" = due."actionId"
    RETURNING ${ORDER_COLUMNS}`;
  return rows.map(parseStockOrder);
}

/** Failures of a chain, or of one order, never stop the others. */
async function pollLate({ database, venue, log }: UnfundedDeps, orders: readonly StockOrder[]): Promise<void> {
  const warn = (error: unknown, actionId?: string): void =>
    log.warn({ actionId, cause: describeFailure(error) }, 'late tokens of orders could not be polled');
  const balances = await venue.finalBalances(orders).catch((error: unknown) => {
    warn(error);
    return undefined;
  });
  if (balances === undefined) return;
  for (const [index, order] of orders.entries()) {
    const balance = balances[index];
    try {
      if (balance === undefined) continue;
      const isWorth = await isWorthReturn(venue, order, balance);
      if (isWorth === true) await recordLateFunds({ database }, order);
      else if (isWorth === false && isNegligible(order, balance)) await endUnfunded({ database }, order);
    } catch (error) {
      warn(error, order.actionId);
    }
  }
}

/** Dust, which strangers can send to a wallet, costs more gas than it is worth. `undefined` while the gas has no price. */
async function isWorthReturn(
  venue: UnfundedDeps['venue'],
  order: StockOrder,
  balance: bigint,
): Promise<boolean | undefined> {
  if (balance >= order.sellAmount) return true;
  return balance > 0n && (await venue.isWorthGas(order, balance));
}

/** Any tokens in the wallet of a sale belong to the position of its owner, as long as the order has not ended. */
const isNegligible = ({ side, sellAmount }: StockOrder, balance: bigint): boolean =>
  balance === 0n || (side === 'BUY' && balance * 100n < sellAmount);

async function endUnfunded(
  { database }: Pick<UnfundedDeps, 'database'>,
  { actionId, customerId, createdAt }: StockOrder,
): Promise<void> {
  if (Date.now() - createdAt.getTime() <= LATE_FUNDS_MS) return;
  await database.$executeRaw`
    UPDATE "StockOrder" AS own SET step = 'ENDED', "updatedAt" = now()
     WHERE own."actionId" = ${actionId}::uuid AND own."customerId" = ${customerId}::uuid
       AND own.step = 'AWAITING_FUNDS' AND ${IS_FREE}
       AND NOT EXISTS (SELECT 1 FROM "ActionCall" AS call WHERE call."actionId" = own."actionId" AND call.open)`;
}
