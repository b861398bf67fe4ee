import type { Pool } from 'pg';
import { z } from 'zod';
import type { CustomerId } from '../../auth/principal';
import type { ActionType } from '../../transactions/action-plan';

/**
 * A deposit, withdrawal, request, claim or filled order of a wallet, whose transaction is in a block and has not reverted. The payment
 * of a purchase and its refund count as requests: both change what is requested.
 */
export interface ExecutedAction {
  readonly id: string;
  readonly strategyId: string;
  readonly kind: 'deposit' | 'withdrawal' | 'request' | 'claim' | 'order';
  /** What it moved, in base units of the underlying asset; `undefined` unless the call of a deposit or withdrawal states it. */
  readonly assets: bigint | undefined;
  /** Address of the token that it brings: for a claim that of the reward. */
  readonly tokenOut: string;
  readonly chainId: number;
  readonly blockNumber: bigint;
  readonly txHash: string;
}

/** What a wallet does in strategies with this service. */
export interface WalletActions {
  /** Number of its actions that are pending. */
  readonly pendingCount: number;
  /** The latest executed ones. */
  readonly executed: readonly ExecutedAction[];
  /** Set when there are more than are read: all that changed after this time are read. */
  readonly since: Date | undefined;
}

/** Last changes of a wallet that are read. More than happen while its positions are old. */
const MAX_CHANGES = 100;
/** Longer than the last known positions are shown. A change is recorded after the block that causes it. */
const MAX_AGE_HOURS = 7;

/** Of actions in strategies. */
const TYPES: readonly ActionType[] = [
  'SAMECHAIN_INVESTMENT_DEPOSIT',
  'SAMECHAIN_INVESTMENT_WITHDRAW',
  'CROSSCHAIN_INVESTMENT_DEPOSIT',
  'CROSSCHAIN_INVESTMENT_WITHDRAW',
  'REWARD_CLAIM',
];

/** Pending actions are as many as may be open at a time: they are counted one by one. */
const READ = `
  SELECT wallet.address AS wallet, pending.count AS "pendingCount", recent.since, coalesce(recent.executed, '[]') AS executed
    FROM unnest($2::text[]) AS wallet (address)
   CROSS JOIN LATERAL (
     SELECT count(*)::int AS count
       FROM "ActionParty" AS party JOIN "Action" AS action ON action.id = party."actionId"
      WHERE party."customerId" = $1 AND party.wallet = wallet.address AND NOT party."isDraft" AND party.status = 'PENDING'
        AND party.type = ANY ($5::text[])
        AND action."customerId" = $1 AND action."originAddress" = wallet.address AND action."strategyId" IS NOT NULL) AS pending
   CROSS JOIN LATERAL (
     SELECT CASE WHEN count(*) >= $3 THEN min(changed."updatedAt") END AS since,
            json_agg(json_build_object(
              'id', action.id, 'strategyId', action."strategyId", 'kind', step.kind, 'assets', call.assets::text,
              'tokenOut', action."tokenOut"->>'address',
              'chainId', step."chainId", 'blockNumber', step."blockNumber"::text, 'txHash', step."txHash")
              ORDER BY step."blockNumber", action.id) FILTER (WHERE step."actionId" IS NOT NULL) AS executed
       FROM (SELECT party."actionId", party."updatedAt" FROM "ActionParty" AS party
              WHERE party."customerId" = $1 AND party.wallet = wallet.address AND NOT party."isDraft"
                AND party."updatedAt" > now() - make_interval(hours => $4)
              ORDER BY party."updatedAt" DESC, party."actionId" DESC LIMIT $3) AS changed
       LEFT JOIN "Action" AS action
         ON action.id = changed."actionId" AND action."customerId" = $1 AND action."originAddress" = wallet.address
        AND action."strategyId" IS NOT NULL
       LEFT JOIN "ActionStep" AS step
         ON step."actionId" = action.id AND step.status IN ('SUBMITTED', 'CONFIRMED')
        AND (step.kind IN ('DEPOSIT', 'WITHDRAW', 'REQUEST', 'CLAIM', 'ORDER')
             OR action.type = 'SAMECHAIN_INVESTMENT_DEPOSIT'
                AND (step.kind = 'REFUND' OR step.kind = 'TRANSFER' AND step.protocol = 'tokenized-stock'))
        AND NOT step.reverted AND step."blockNumber" IS NOT NULL
        AND (action."receiverAddress" = wallet.address OR step.kind <> 'DEPOSIT')
       LEFT JOIN "ActionCall" AS call ON call.id = step."callId" AND call."actionId" = action.id) AS recent`;

const KINDS = {
  DEPOSIT: 'deposit',
  WITHDRAW: 'withdrawal',
  REQUEST: 'request',
  CLAIM: 'claim',
  TRANSFER: 'request',
  REFUND: 'request',
  ORDER: 'order',
} as const;

const row = z.object({
  wallet: z.string(),
  pendingCount: z.number(),
  since: z.date().nullable(),
  executed: z.array(
    z.object({
      id: z.string(),
      strategyId: z.string(),
      kind: z.enum(['DEPOSIT', 'WITHDRAW', 'REQUEST', 'CLAIM', 'TRANSFER', 'REFUND', 'ORDER']),
      assets: z.string().nullable(),
      tokenOut: z.string(),
      chainId: z.number(),
      blockNumber: z.string(),
      txHash: z.string(),
    }),
  ),
});

interface ActionsRequest {
  readonly customerId: CustomerId;
  /** Canonical addresses. */
  readonly wallets: readonly string[];
}

/**
 * The actions of wallets in strategies, in one statement. A deposit for another account changes no position of the wallet: it
 * is counted while it is pending, and is not among the executed ones. The dollars of a purchase are the wallet's until it is filled,
 * also when another account receives the tokens.
 */
export async function readWalletActions(
  { pool }: { readonly pool: Pick<Pool, 'query'> },
  { customerId, wallets }: ActionsRequest,
  maximum = MAX_CHANGES,
): Promise<ReadonlyMap<string, WalletActions>> {
  const values = [customerId, wallets, maximum, MAX_AGE_HOURS, TYPES];
  const { rows } = await pool.query({ name: 'wallet-actions-in-strategies', text: READ, values });
  return new Map(
    z
      .array(row)
      .parse(rows)
      .map(({ wallet, pendingCount, since, executed }) => [
        wallet,
        { pendingCount, since: since ?? undefined, executed: executed.map(executedAction) },
      ]),
  );
}

const executedAction = ({
  kind,
  assets,
  blockNumber,
  ...action
}: z.infer<typeof row>['executed'][number]): ExecutedAction => ({
  ...action,
  kind: KINDS[kind],
  assets: assets === null ? undefined : BigInt(assets),
  blockNumber: BigInt(blockNumber),
});
