import type { Config } from '../../config/config';
import { MAY_BE_IN_QUARANTINE } from '../may-be-in-quarantine';
import { CUTOFF, DAY, HOUR, type RetentionRule } from './retention-rule';
import { WEBHOOK_RULES } from './webhook-retention-rules';

/** How long rows are kept, in days. The other periods are fixed. */
export type RetentionSettings = Pick<
  Config,
  | 'QUOTE_RETENTION_DAYS'
  | 'ACTION_DETAIL_RETENTION_DAYS'
  | 'RAMP_CALLBACK_RETENTION_DAYS'
  | 'RAMP_TICKET_RETENTION_DAYS'
  | 'AUDIT_RETENTION_DAYS'
>;

/** Each takes up to some 20,000 entries with it, most of them a few. */
const POSITIONS_OF_STATEMENT = 5;

/** Condition on the row `action`: it has ended before the cutoff, and nothing about it is polled or unsettled. */
const HAS_ENDED = `
  action.status IN ('SUCCESS', 'REFUNDED', 'FAILED') AND action."finishedAt" < ${CUTOFF}
  AND NOT EXISTS (SELECT 1 FROM "Delivery" AS delivery
                   WHERE delivery."actionId" = action.id AND delivery."nextPollAt" IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM "ActionStep" AS step
                   WHERE step."actionId" = action.id AND step.status = 'SUBMITTED')`;

/**
 * Condition on the row `action`: no transaction or payment of it was ever seen or sent, and none is awaited. A payment to a
 * deposit address may arrive at any time, and its refund needs the action.
 */
const IS_UNUSED = `
  NOT EXISTS (SELECT 1 FROM "ActionStep" AS step
               WHERE step."actionId" = action.id AND (step."txHash" IS NOT NULL OR step.status IN ('SUBMITTED', 'CONFIRMED')))
  AND NOT EXISTS (SELECT 1 FROM "ActionCall" AS call WHERE call."actionId" = action.id AND call.open)
  AND NOT EXISTS (SELECT 1 FROM "RampTicket" AS ticket WHERE ticket."actionId" = action.id)
  AND NOT EXISTS (SELECT 1 FROM "ServiceTransaction" AS sent WHERE sent."actionId" = action.id)
  AND NOT EXISTS (SELECT 1 FROM "Delivery" AS delivery
                   WHERE delivery."actionId" = action.id AND delivery.deposit IS NOT NULL)
  AND NOT ${MAY_BE_IN_QUARANTINE.sql}`;

const quoteRules = (settings: RetentionSettings): readonly RetentionRule[] => [
  {
    name: 'quotes that were not executed',
    table: 'Quote',
    seconds: settings.QUOTE_RETENTION_DAYS * DAY,
    due: `
      SELECT quote.id FROM "Quote" AS quote
       WHERE quote."bytecodeHash" IS NULL AND quote.deadline < ${CUTOFF}
         AND NOT EXISTS (SELECT 1 FROM "Action" AS action WHERE action."quoteId" = quote.id)
       ORDER BY quote.deadline`,
    lock: 'FOR UPDATE OF quote SKIP LOCKED',
    remove: `DELETE FROM "Quote" WHERE id IN (SELECT id FROM due)`,
  },
  {
    name: 'drafts that have expired',
    table: 'Action',
    seconds: settings.QUOTE_RETENTION_DAYS * DAY,
    due: `
      SELECT action.id, action."quoteId" FROM "Action" AS action
       WHERE action."isDraft" AND ${HAS_ENDED} AND ${IS_UNUSED}
       ORDER BY action."finishedAt"`,
    lock: 'FOR UPDATE OF action SKIP LOCKED',
    remove: `, events AS (DELETE FROM "ActionEvent" WHERE "actionId" IN (SELECT id FROM due)),
               calls AS (DELETE FROM "ActionCall" WHERE "actionId" IN (SELECT id FROM due)),
               steps AS (DELETE FROM "ActionStep" WHERE "actionId" IN (SELECT id FROM due)),
               deliveries AS (DELETE FROM "Delivery" WHERE "actionId" IN (SELECT id FROM due)),
               quotes AS (DELETE FROM "Quote" WHERE id IN (SELECT "quoteId" FROM due))
             DELETE FROM "Action" WHERE id IN (SELECT id FROM due)`,
  },
];

const actionRules = (settings: RetentionSettings): readonly RetentionRule[] => [
  {
    name: 'calls of ended actions',
    table: 'ActionCall',
    seconds: settings.ACTION_DETAIL_RETENTION_DAYS * DAY,
    // Approvals are part of the history that callers see.
    due: `
      SELECT call.id FROM "ActionCall" AS call JOIN "Action" AS action ON action.id = call."actionId"
       WHERE NOT call.open AND call.kind <> 'APPROVAL' AND call."createdAt" < ${CUTOFF} AND ${HAS_ENDED}
       ORDER BY call."createdAt"`,
    lock: 'FOR UPDATE OF call SKIP LOCKED',
    remove: `DELETE FROM "ActionCall" WHERE id IN (SELECT id FROM due)`,
  },
  {
    name: 'events of ended actions without a change of status',
    table: 'ActionEvent',
    seconds: settings.ACTION_DETAIL_RETENTION_DAYS * DAY,
    // Changes of the status, refunds and late payments stay as long as the action.
    due: `
      SELECT event.id FROM "ActionEvent" AS event JOIN "Action" AS action ON action.id = event."actionId"
       WHERE event."fromStatus" = event."toStatus" AND event."createdAt" < ${CUTOFF}
         AND coalesce(event.substatus, '') NOT IN ('REFUND_QUEUED', 'REFUND_SENT')
         AND NOT coalesce(event.detail, '{}') ? 'late' AND ${HAS_ENDED}
       ORDER BY event."createdAt"`,
    lock: 'FOR UPDATE OF event SKIP LOCKED',
    remove: `DELETE FROM "ActionEvent" WHERE id IN (SELECT id FROM due)`,
  },
];

const rampRules = (settings: RetentionSettings): readonly RetentionRule[] => [
  {
    name: 'callbacks of ramps',
    table: 'RampCallback',
    // Ramps repeat undelivered callbacks for a day.
    seconds: settings.RAMP_CALLBACK_RETENTION_DAYS * DAY,
    due: `SELECT provider, "eventId" FROM "RampCallback" WHERE "receivedAt" < ${CUTOFF} ORDER BY "receivedAt"`,
    lock: 'FOR UPDATE SKIP LOCKED',
    remove: `DELETE FROM "RampCallback" WHERE (provider, "eventId") IN (SELECT provider, "eventId" FROM due)`,
  },
  {
    name: 'personal data of completed ramp tickets',
    table: 'RampTicket',
    seconds: settings.RAMP_TICKET_RETENTION_DAYS * DAY,
    // The row stays, so that a settlement on chain counts once. A failed action may still be paid, and needs the data.
    due: `
      SELECT ticket."actionId" FROM "RampTicket" AS ticket JOIN "Action" AS action ON action.id = ticket."actionId"
       WHERE octet_length(ticket.request) > 0 AND ticket."createdAt" < ${CUTOFF}
         AND action.status <> 'FAILED' AND ${HAS_ENDED}
       ORDER BY ticket."createdAt"`,
    lock: 'FOR UPDATE OF ticket SKIP LOCKED',
    remove: `UPDATE "RampTicket" SET request = '', ticket = NULL WHERE "actionId" IN (SELECT "actionId" FROM due)`,
  },
];

const auditRules = (settings: RetentionSettings): readonly RetentionRule[] => [
  {
    name: 'changes by users of the dashboard',
    table: 'AuditEntry',
    seconds: settings.AUDIT_RETENTION_DAYS * DAY,
    due: `SELECT id FROM "AuditEntry" WHERE at < ${CUTOFF} ORDER BY at`,
    lock: 'FOR UPDATE SKIP LOCKED',
    remove: `DELETE FROM "AuditEntry" WHERE id IN (SELECT id FROM due)`,
  },
];

const FIXED_RULES: readonly RetentionRule[] = [
  {
    name: 'payout accounts of expired quotes',
    table: 'Quote',
    // After its expiry a quote does not need the payout's account; a ticket keeps its own copy.
    seconds: HOUR,
    due: `SELECT id FROM "Quote" WHERE payout IS NOT NULL AND deadline < ${CUTOFF} ORDER BY deadline`,
    lock: 'FOR UPDATE SKIP LOCKED',
    remove: `UPDATE "Quote" SET payout = NULL WHERE id IN (SELECT id FROM due)`,
  },
  {
    name: 'responses to idempotent requests',
    table: 'IdempotentCall',
    seconds: DAY,
    due: `SELECT "customerId", key FROM "IdempotentCall" WHERE "createdAt" < ${CUTOFF} ORDER BY "createdAt"`,
    lock: 'FOR UPDATE SKIP LOCKED',
    remove: `DELETE FROM "IdempotentCall" WHERE ("customerId", key) IN (SELECT "customerId", key FROM due)`,
  },
  {
    name: 'request counts',
    table: 'rate_limit',
    seconds: HOUR,
    due: `SELECT key FROM rate_limit WHERE expire < (extract(epoch FROM ${CUTOFF}) * 1000)::bigint ORDER BY expire`,
    lock: 'FOR UPDATE SKIP LOCKED',
    remove: `DELETE FROM rate_limit WHERE key IN (SELECT key FROM due)`,
  },
  {
    name: 'ramp tickets without an action',
    table: 'RampTicket',
    // Their request failed before the action was created, and they were never returned to a customer. The second bound
    // keeps a run from checking all tickets; workers that stop for longer leave rows that no customer can read.
    seconds: DAY,
    due: `
      SELECT ticket."actionId" FROM "RampTicket" AS ticket
       WHERE ticket."createdAt" < ${CUTOFF} AND ticket."createdAt" > now() - interval '60 hours'
         AND (SELECT action.id FROM "Action" AS action WHERE action.id = ticket."actionId") IS NULL
       ORDER BY ticket."createdAt"`,
    lock: 'FOR UPDATE OF ticket SKIP LOCKED',
    remove: `DELETE FROM "RampTicket" WHERE "actionId" IN (SELECT "actionId" FROM due)`,
  },
  {
    name: 'gas paid by the service',
    table: 'GasSpending',
    // Budgets need a day; more than a year lets a deployment compare its costs with those of a year before.
    seconds: 400 * DAY,
    due: `SELECT id FROM "GasSpending" WHERE "createdAt" < ${CUTOFF} ORDER BY "createdAt"`,
    lock: 'FOR UPDATE SKIP LOCKED',
    remove: `DELETE FROM "GasSpending" WHERE id IN (SELECT id FROM due)`,
  },
  {
    name: 'metadata of tokens',
    table: 'TokenMetadata',
    // Read from the chain again when the token is used again.
    seconds: 90 * DAY,
    due: `SELECT "chainId", address FROM "TokenMetadata" WHERE "updatedAt" < ${CUTOFF} ORDER BY "updatedAt"`,
    lock: 'FOR UPDATE SKIP LOCKED',
    remove: `DELETE FROM "TokenMetadata" WHERE ("chainId", address) IN (SELECT "chainId", address FROM due)`,
  },
  {
    name: 'tokens whose price is no longer requested',
    table: 'SampledToken',
    seconds: 30 * DAY,
    due: `SELECT "customerId", "chainId", token FROM "SampledToken" WHERE "requestedAt" < ${CUTOFF} ORDER BY "requestedAt"`,
    lock: 'FOR UPDATE SKIP LOCKED',
    remove: `DELETE FROM "SampledToken" WHERE ("customerId", "chainId", token) IN (SELECT "customerId", "chainId", token FROM due)`,
  },
  {
    name: 'prices of unlisted tokens',
    table: 'PriceSample',
    // Any caller can add such a token. More than a year lets a portfolio be compared with that of a year before.
    seconds: 400 * DAY,
    due: `SELECT "chainId", token, at FROM "PriceSample" WHERE NOT "isListed" AND at < ${CUTOFF} ORDER BY at`,
    lock: 'FOR UPDATE SKIP LOCKED',
    remove: `DELETE FROM "PriceSample" WHERE ("chainId", token, at) IN (SELECT "chainId", token, at FROM due)`,
  },
  {
    name: 'positions that are no longer requested',
    table: 'PositionCursor',
    // Their entries go with them; the chain has them all.
    seconds: 90 * DAY,
    due: `SELECT "customerId", wallet, "strategyId" FROM "PositionCursor" WHERE "requestedAt" < ${CUTOFF} ORDER BY "requestedAt"`,
    batchSize: POSITIONS_OF_STATEMENT,
    lock: 'FOR UPDATE SKIP LOCKED',
    remove: `DELETE FROM "PositionCursor" WHERE ("customerId", wallet, "strategyId") IN (SELECT "customerId", wallet, "strategyId" FROM due)`,
  },
  {
    name: 'positions with entries of unknown worth',
    table: 'PositionCursor',
    // Read again: the deployment may have a node with old states by then.
    seconds: 7 * DAY,
    due: `SELECT "customerId", wallet, "strategyId" FROM "PositionCursor" WHERE unvalued > 0 AND "createdAt" < ${CUTOFF} ORDER BY "createdAt"`,
    batchSize: POSITIONS_OF_STATEMENT,
    lock: 'FOR UPDATE SKIP LOCKED',
    remove: `DELETE FROM "PositionCursor" WHERE ("customerId", wallet, "strategyId") IN (SELECT "customerId", wallet, "strategyId" FROM due)`,
  },
  {
    name: 'overviews of wallets that are no longer requested',
    table: 'WalletSnapshot',
    // Computed again when they are.
    seconds: 30 * DAY,
    due: `SELECT "customerId", wallet, section FROM "WalletSnapshot" WHERE "requestedAt" < ${CUTOFF} ORDER BY "requestedAt"`,
    lock: 'FOR UPDATE SKIP LOCKED',
    remove: `DELETE FROM "WalletSnapshot" WHERE ("customerId", wallet, section) IN (SELECT "customerId", wallet, section FROM due)`,
  },
  {
    name: 'values of wallets',
    table: 'WalletValue',
    seconds: 400 * DAY,
    due: `SELECT "customerId", wallet, section, step FROM "WalletValue" WHERE resolution = 86400 AND step < ${CUTOFF} ORDER BY step`,
    lock: 'FOR UPDATE SKIP LOCKED',
    remove: `DELETE FROM "WalletValue" WHERE ("customerId", wallet, section, step) IN (SELECT "customerId", wallet, section, step FROM due)`,
  },
  {
    name: 'positions whose history a withdrawal has found unread',
    table: 'UnreadPosition',
    // After a day a withdrawal waits for the history once more.
    seconds: DAY,
    due: `SELECT "customerId", wallet, "strategyId" FROM "UnreadPosition" WHERE since < ${CUTOFF} ORDER BY since`,
    lock: 'FOR UPDATE SKIP LOCKED',
    remove: `DELETE FROM "UnreadPosition" WHERE ("customerId", wallet, "strategyId") IN (SELECT "customerId", wallet, "strategyId" FROM due)`,
  },
  {
    name: 'strikes of broken tokens',
    table: 'BrokenToken',
    // After two days a strike no longer adds to the next one; the longest quarantine has ended before.
    seconds: 3 * DAY,
    due: `SELECT "chainId", token FROM "BrokenToken" WHERE "updatedAt" < ${CUTOFF} ORDER BY "updatedAt"`,
    lock: 'FOR UPDATE SKIP LOCKED',
    remove: `DELETE FROM "BrokenToken" WHERE ("chainId", token) IN (SELECT "chainId", token FROM due)`,
  },
];

/** All rules. Rows of other tables are kept; docs/operations.md gives the reason for each table. */
export const retentionRules = (settings: RetentionSettings): readonly RetentionRule[] => [
  ...quoteRules(settings),
  ...actionRules(settings),
  ...rampRules(settings),
  ...auditRules(settings),
  ...FIXED_RULES,
  ...WEBHOOK_RULES,
];
